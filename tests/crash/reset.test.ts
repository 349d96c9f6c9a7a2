/** A reset that is cut short leaves one whole playground: the old one or the new one. */
import { expect, test } from "vitest";
import { closeFolder, makeCurrent, newFolder, openDirectory } from "../../lib/playground/directory";
import { Playground } from "../../lib/playground/playground";
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
  expect(stage.playground).toBeInstanceOf(Playground);
});
