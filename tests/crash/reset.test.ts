/** A reset that is cut short leaves one whole playground: the old one or the new one. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { closeFolder, makeCurrent, newFolder, openDirectory } from "../../lib/playground/directory";
import { promisesHold } from "./promises";
import { AGENT, STOCK, Stage, temporary } from "./stage";

test.each(["retired", "made the new log", "moved the marker"])(
  "its server died when it had %s",
  async (reached) => {
    const dir = temporary();
    const first = await Stage.open({ dir });
    await first.end(await first.ask(STOCK));
    await first.playground.close();

    // What a reset does, as far as it got.
    const { playground, folder } = openDirectory(dir);
    await folder.store.retire(true);
    const fresh = reached === "retired" ? null : newFolder(dir, playground, await folder.store.head());
    if (fresh && reached === "moved the marker") makeCurrent(dir, playground, fresh);
    if (fresh) closeFolder(fresh);
    closeFolder(folder);

    const second = await Stage.open({ dir });
    expect((await second.end(await second.ask(STOCK))).type).toBe("relight.run.completed");
    const answers = (await second.log()).filter(({ type }) => type === "relight.run.completed");
    expect(answers).toHaveLength(reached === "moved the marker" ? 1 : 2);
    if (reached !== "moved the marker") await promisesHold(second.playground.folder.store);
  },
);

test("a server whose runtime was stopped finds the log that another one made by a reset", async () => {
  const dir = temporary();
  const first = await Stage.open({ dir });
  await first.playground.stop();
  const second = await Stage.open({ dir });
  await second.playground.reset();
  await expect(first.agents.ask(AGENT, { text: STOCK })).rejects.toMatchObject({ code: "RESET" });
  await expect(first.playground.start()).rejects.toMatchObject({ code: "HELD" });
  await second.playground.close();
  await first.playground.start();
  expect(first.playground.folder.path).toBe(second.playground.folder.path);
});

test("a reset of a stopped runtime starts it", async () => {
  const stage = await Stage.open();
  await stage.playground.stop();
  expect(await stage.playground.reset()).toMatchObject({ status: "running" });
  await expect(stage.playground.start()).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
});

test("a runtime that could not give its directory up can be started again, and nothing is lost", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  const asked = await stage.ask(STOCK);
  await stage.call(asked);
  // Somebody's database shell holds the write lock for longer than anybody waits for it.
  const shell = new Database(stage.playground.folder.storePath);
  shell.exec("BEGIN IMMEDIATE");
  await expect(stage.playground.stop()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(stage.playground.status()).toMatchObject({ status: "stopped", processes: [] });
  shell.exec("ROLLBACK");
  shell.close();

  await stage.playground.start();
  expect((await stage.end(asked)).type).toBe("relight.run.completed");
  await promisesHold(stage.playground.folder.store);
});

test("what somebody else put into the directory is never removed", async () => {
  const dir = temporary();
  const stage = await Stage.open({ dir });
  mkdirSync(join(dir, "log-archive"));
  writeFileSync(join(dir, "log-archive", "thesis.txt"), "mine");
  await stage.playground.reset();
  await stage.playground.restart();
  expect(readFileSync(join(dir, "log-archive", "thesis.txt"), "utf8")).toBe("mine");

  const other = temporary();
  mkdirSync(join(other, "log-archive"));
  await expect(Stage.open({ dir: other })).rejects.toMatchObject({ code: "INVALID" });
});
