import { type FormEvent, useId, useState } from "react";
import type { Attempt, Interrupt } from "@/lib/agents/state";
import { Button } from "../ui/button";
import { Panel } from "../ui/panel";
import { Refusal } from "../ui/refusal";
import { relight, useAct } from "./live";
import { useCanAct } from "./view";
import { clock, describeInput, secondsBetween } from "./words";

/** A call whose outcome nobody here can know. Its buttons state facts; once pressed, here or elsewhere, they are spent. */
export function InDoubt({ interrupt }: { interrupt: Interrupt }) {
  const open = interrupt.status === "open";
  return (
    <Panel tone={open ? "doubt" : "plain"} title={open ? "In doubt: a person must say" : "Was in doubt"}>
      <div className="break-words">
        <b className="font-mono">{interrupt.call.tool}</b> {describeInput(interrupt.call.input)}
        <span className="font-mono text-[13px] text-soft"> · {interrupt.agent}</span>
      </div>
      <div className="mb-2.5 mt-1 text-[13px] text-soft">
        {interrupt.attempts.map((attempt) => (
          <div key={attempt.attempt}>{story(attempt)}</div>
        ))}
        {open ? <div>Nobody here can know whether it went through. The bank may.</div> : null}
      </div>
      {open ? <Decide interrupt={interrupt} /> : <Decided interrupt={interrupt} />}
    </Panel>
  );
}

function story({ attempt, startedAt, endedAt, pid, why }: Attempt): string {
  const pids = `Its process, pid ${pid},`;
  // Found dead is when somebody looked: how far it had got nobody knows.
  if (endedAt && why === "found dead") {
    return `Attempt ${attempt} started at ${clock(startedAt)}. ${pids} was found dead at ${clock(endedAt)}; when it died is not known.`;
  }
  const end = endedAt
    ? ` ${pids} ended ${secondsBetween(startedAt, endedAt).toFixed(1)} s in: ${why ?? "it did not say why"}.`
    : "";
  return `Attempt ${attempt} started at ${clock(startedAt)}.${end}`;
}

function Decide({ interrupt }: { interrupt: Interrupt }) {
  const id = useId();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState("It went through. I checked the bank.");
  const approve = useAct(() => relight.interrupts.approve(interrupt.id));
  const deny = useAct((because: string) => relight.interrupts.deny(interrupt.id, { reason: because }));
  const canAct = useCanAct();
  const busy = approve.busy || deny.busy || !canAct;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() !== "") deny.act(reason);
  };
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <Button tone="doubt" disabled={busy} aria-expanded={asking} onClick={() => setAsking(!asking)}>
          It went through…
        </Button>
        <Button tone="doubt" disabled={busy} onClick={() => approve.act()}>
          Charge again
        </Button>
      </div>
      {asking ? (
        <form className="mt-3" onSubmit={submit}>
          <label htmlFor={id} className="text-[13px]">
            What the model reads as the call's result
          </label>
          <textarea
            id={id}
            required
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            className="mt-1 w-full rounded-md border border-doubt-line bg-ground px-2.5 py-1"
          />
          <div className="mt-1 flex items-center gap-3">
            <Button type="submit" tone="doubt" disabled={busy || reason.trim() === ""}>
              Tell the agent
            </Button>
            {reason.trim() === "" ? (
              <span className="text-[13px] text-death">A reason is required.</span>
            ) : null}
          </div>
        </form>
      ) : null}
      <Refusal text={approve.refusal ?? deny.refusal} />
    </>
  );
}

function Decided({ interrupt: { status, decidedBy, decidedAt, reason } }: { interrupt: Interrupt }) {
  if (status === "closed") return <div>Closed: its run ended before anybody decided.</div>;
  return (
    <div>
      {status === "approved" ? "Approved: charged again" : "Denied: not charged again"}, by {decidedBy}
      {decidedAt ? ` at ${clock(decidedAt)}` : ""}.{reason ? <> “{reason}”</> : null}
    </div>
  );
}
