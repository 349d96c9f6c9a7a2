/** `run()`, the loop of a worker, in this process and over HTTP, with a real server and a real network that fails. */
import { createServer, connect as dial, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connect } from "../../lib/client";
import type { RecordsClient } from "../../lib/client/records";
import { type Agent, type Happening, type RunOptions, run } from "../../lib/records/run";
import type { FieldView } from "../../lib/records/view";
import type { Server } from "../server";
import { until } from "./os";
import { serve } from "./server";

const cleanups: (() => void)[] = [];
let server: Server;
let tokens: Record<string, string>;

beforeAll(async () => {
  server = await serve({ cleanup: (clean) => cleanups.push(clean) });
  tokens = Object.fromEntries((await server.client.keys()).map(({ name, token }) => [name, token]));
});

afterAll(async () => {
  await server.kill();
  for (const clean of cleanups) clean();
});

const FIELD = "remediation";
const clientOf = (name: string, url = server.url) => connect(url).records({ token: tokens[name] });

/** A playground with nothing but one incident, and who works on it. */
async function fresh(url?: string): Promise<{ mine: RecordsClient; rival: RecordsClient }> {
  await server.client.reset();
  await clientOf("diagnoser").create("incidents/inc-111");
  return { mine: clientOf("remediator/worker-1", url), rival: clientOf("remediator/worker-2") };
}

const RECORD = "incidents/inc-111";
const options = (more: Partial<RunOptions> = {}): RunOptions => ({
  className: "incidents",
  claimField: FIELD,
  leaseSeconds: 600,
  pollMs: 20,
  ...more,
});
const account = (progress: string) => ({ goal: "g", decisions: "d", progress, open_questions: "none" });
const agent = (decide: Agent["decide"]): Agent => ({
  decide,
  buildCheckpoint: (fields) => account(`${entriesIn(fields)} done`),
});
const entriesIn = ({ actions }: Record<string, FieldView>) => ((actions?.value ?? []) as unknown[]).length;
const typesIn = async (client: RecordsClient) =>
  (await client.history(RECORD)).rows.map(({ type }) => type.replace("relight.", ""));

test("leaves a checkpoint after each cycle, shows it to the next one, and gives the lease up at the end", async () => {
  const { mine } = await fresh();
  const found: unknown[] = [];
  await run(
    agent(async ({ client, checkpoint, changedFields, fields, record }) => {
      found.push([checkpoint?.progress ?? null, changedFields, entriesIn(fields)]);
      await client.append(record, "actions", { did: found.length });
      return found.length < 3 ? "again" : "done";
    }),
    mine,
    options(),
  );
  expect(found).toEqual([
    [null, [], 0],
    ["1 done", [], 1],
    ["2 done", [], 2],
  ]);
  expect(await typesIn(mine)).toEqual([
    "record.created",
    "field.claimed",
    ...["field.appended", "checkpoint.saved"],
    ...["field.appended", "checkpoint.saved"],
    ...["field.appended", "checkpoint.saved"],
    "field.released",
  ]);
  expect(await mine.checkpointLoad(RECORD)).toMatchObject({ document: account("3 done"), fence: 1 });
});

test("renews: a cycle that takes longer than the lease keeps it", async () => {
  const { mine, rival } = await fresh();
  let refused: unknown;
  await run(
    agent(async () => {
      const end = Date.now() + 1500;
      await until("the lease as it was granted is over", () => Date.now() > end);
      refused = await rival.claim(RECORD, FIELD, { leaseSeconds: 3 }).catch((error: unknown) => error);
      return "done";
    }),
    mine,
    options({ leaseSeconds: 1.5 }),
  );
  expect(refused).toMatchObject({ code: "HELD", details: { owner: "apikey:remediator/worker-1", fence: 1 } });
  expect(await typesIn(mine)).toEqual([
    "record.created",
    "field.claimed",
    "field.claim_refused",
    "checkpoint.saved",
    "field.released",
  ]);
});

/** A wire to the server that can be cut, or go dead: then it takes whatever is sent, and nothing comes back. */
async function wire() {
  const sockets = new Set<Socket>();
  let state: "whole" | "cut" | "dead" = "whole";
  const { port: to } = new URL(server.url);
  const proxy = createServer((near) => {
    sockets.add(near);
    near.on("error", () => {});
    if (state === "cut") near.destroy();
    if (state !== "whole") return;
    const far = dial(Number(to), "127.0.0.1");
    sockets.add(far);
    far.on("error", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as { port: number }).port}`,
    turn(to: "whole" | "cut" | "dead"): void {
      state = to;
      for (const socket of sockets) {
        if (to === "dead") socket.unpipe().resume();
        else socket.destroy();
      }
    },
  };
}

test.each(["cut", "dead"] as const)(
  "is told that its lease is lost when the wire is %s: its work is aborted, and somebody else's goes on",
  async (how) => {
    const line = await wire();
    const { mine, rival } = await fresh(line.url);
    const stop = new AbortController();
    const happened: Happening["did"][] = [];
    let taken: Awaited<ReturnType<RecordsClient["claim"]>> | undefined;
    let reason: unknown;
    await run(
      agent(async ({ signal, client, record }) => {
        line.turn(how);
        await until("somebody else has it", async () => {
          taken = await rival.claim(RECORD, FIELD, { leaseSeconds: 600 }).catch(() => undefined);
          return taken !== undefined;
        });
        // No reading of a clock says so: it is told.
        await until("it is told", () => signal.aborted);
        reason = signal.reason;
        line.turn("whole");
        // Whatever it tries to do now is refused.
        await client.write(record, FIELD, "mine");
        return "again";
      }),
      mine,
      options({
        leaseSeconds: 1,
        signal: stop.signal,
        on: ({ did }) => {
          happened.push(did);
          if (did === "lost") stop.abort();
        },
      }),
    );
    expect(taken).toMatchObject({ fence: 2, tookOverFrom: "apikey:remediator/worker-1", tookOverFence: 1 });
    expect(reason).toMatchObject({ code: "LAPSED" });
    expect(happened).toEqual(["claimed", "lost"]);
    expect(await typesIn(rival)).not.toContain("field.written");
    expect(await rival.checkpointLoad(RECORD)).toMatchObject({ document: null });
    expect((await rival.get(RECORD)).fields[FIELD]?.lease).toMatchObject({ fence: 2, state: "held" });
  },
);

test("rejects with what its work throws, and gives the lease up first", async () => {
  const { mine, rival } = await fresh();
  const broken = run(
    agent(async () => {
      throw new Error("the cluster is on fire");
    }),
    mine,
    options(),
  );
  await expect(broken).rejects.toThrow("the cluster is on fire");
  expect(await typesIn(mine)).toEqual(["record.created", "field.claimed", "field.released"]);
  expect(await rival.claim(RECORD, FIELD, { leaseSeconds: 3 })).not.toHaveProperty("tookOverFrom");
});

test("stopped while it works, it aborts the work and gives the lease up", async () => {
  const { mine } = await fresh();
  const stop = new AbortController();
  await run(
    agent(async ({ signal }) => {
      stop.abort();
      expect(signal.aborted).toBe(true);
      return "again";
    }),
    mine,
    options({ signal: stop.signal }),
  );
  expect(await typesIn(mine)).toEqual(["record.created", "field.claimed", "field.released"]);
});

test("stopped between its claim and its work, it does not begin, and gives the lease up", async () => {
  const { mine } = await fresh();
  const stop = new AbortController();
  let begun = false;
  const decide = async () => {
    begun = true;
    return "done" as const;
  };
  await run(agent(decide), mine, options({ signal: stop.signal, on: () => stop.abort() }));
  expect(begun).toBe(false);
  expect(await typesIn(mine)).toEqual(["record.created", "field.claimed", "field.released"]);
});

test("stopped before it begins, it claims nothing", async () => {
  const { mine } = await fresh();
  await run(
    agent(async () => "done"),
    mine,
    options({ signal: AbortSignal.abort() }),
  );
  expect(await typesIn(mine)).toEqual(["record.created"]);
});

test("waits for what another one holds, and goes on where that one stopped", async () => {
  const { mine, rival } = await fresh();
  const { fence } = await rival.claim(RECORD, FIELD, { leaseSeconds: 600 });
  await rival.checkpointSave(RECORD, account("half"));
  await clientOf("diagnoser").write(RECORD, "planned_action", "stop", { evidence: "node-7 is healthy" });
  const happened: Happening["did"][] = [];
  const seen: unknown[] = [];
  await run(
    agent(async ({ checkpoint, changedFields }) => {
      seen.push(checkpoint, changedFields);
      return "done";
    }),
    mine,
    options({
      on: ({ did }) => {
        if (did === "refused" && !happened.includes(did)) void rival.release(RECORD, FIELD, fence);
        happened.push(did);
      },
    }),
  );
  expect([...new Set(happened)]).toEqual(["refused", "claimed", "checkpoint", "done"]);
  expect(seen).toMatchObject([
    account("half"),
    [{ field: "planned_action", changes: 1, mine: false, evidence: "node-7 is healthy" }],
  ]);
});

test("a plan that was replaced while the worker worked is news to its next cycle, and to its successor", async () => {
  const { mine, rival } = await fresh();
  const news: string[][] = [];
  const plan = () =>
    clientOf("diagnoser").write(RECORD, "planned_action", "stop", { evidence: "a second outage" });
  await run(
    agent(async ({ client, changedFields, record }) => {
      news.push(changedFields.map(({ field }) => field));
      await client.append(record, "actions", { did: news.length });
      // After it was read, and before the checkpoint of this cycle is saved.
      if (news.length === 1) {
        await plan();
        return "again";
      }
      return "done";
    }),
    mine,
    options(),
  );
  expect(news).toEqual([[], ["planned_action"]]);
  await plan();
  const { changedFields } = await rival.checkpointLoad(RECORD);
  expect(changedFields).toMatchObject([{ field: "planned_action", changes: 1, mine: false }]);
});

test("a claim whose answer was lost is sent again, and is the same claim", async () => {
  const { mine, rival } = await fresh();
  const first = await mine.claim(RECORD, FIELD, { leaseSeconds: 600 });
  const path = `${server.url}/api/records/${RECORD}/fields/${FIELD}/claim`;
  const send = (name: string, key: string) =>
    fetch(path, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens[name]}`, "content-type": "application/json" },
      body: JSON.stringify({ leaseSeconds: 600, key }),
    });
  await mine.release(RECORD, FIELD);
  const claimed = (await (await send("remediator/worker-1", "one")).json()) as { fence: number };
  expect(claimed.fence).toBe(first.fence + 1);
  expect(await (await send("remediator/worker-1", "one")).json()).toMatchObject({ fence: claimed.fence });
  // Another process with the same key to the API has another one here; and somebody else's is not mine.
  expect((await send("remediator/worker-1", "two")).status).toBe(409);
  expect((await send("remediator/worker-2", "one")).status).toBe(409);
  const claims = (await typesIn(rival)).filter((type) => type === "field.claimed");
  expect(claims).toHaveLength(2);
});
