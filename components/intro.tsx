import { RecoveryDiagram } from "./recovery-diagram";

/** What to do here, and what it shows. */
export function Intro() {
  return (
    <article className="w-full max-w-[820px] justify-self-center px-5 py-8 font-serif text-[17px] leading-relaxed sm:px-12">
      <h2 className="mb-2 text-[25px] font-semibold leading-tight">Pull the plug</h2>
      <p className="my-3">
        Kill an agent while its tool runs, and it comes back where it was. A stock lookup simply runs again. A
        card charge that may already have gone through does not: it waits for a person, so nobody pays twice.
      </p>
      <p className="my-3">
        Nothing here is simulated. Each agent is a process of its own, the signal is a real SIGKILL, and the
        log is on disk: <code className="font-mono text-[14px]">kill -9</code> in your own terminal does the
        same.
      </p>
      <ol className="my-3 list-decimal space-y-2 pl-6">
        <li>
          Create the agent, ask “How many SKU-7 do we have?”, and press Kill agent while it looks. It answers
          all the same.
        </li>
        <li>
          Ask “Charge Maria's card $40 for order 1042.” and press Restart runtime while it charges. It comes
          back in doubt: look at the bank, and decide.
        </li>
        <li>Kill the whole server, if you like. Start it again: the page finds it, and the run goes on.</li>
      </ol>
      <RecoveryDiagram />
    </article>
  );
}
