"use client";

import Link from "next/link";
import { useLive, useSecret } from "./control-room/live";
import { Live } from "./live-page";

interface Card {
  slug: string;
  title: string;
  minutes: number;
  learns: string[];
}

/** Whether the runtime is up, and whether there is a key. */
function Facts() {
  const { runtime } = useLive();
  const secret = useSecret();
  return (
    <p className="mt-4 text-[14px] text-soft">
      The runtime is {runtime}.{" "}
      {secret === undefined
        ? null
        : secret.present
          ? `There is a key to Claude, from ${secret.source === "panel" ? "the Secrets panel" : "the environment"}.`
          : "There is no key to Claude: notebooks ask a scripted stand-in, unless you set one under Secrets."}
    </p>
  );
}

/** What there is to read, and whether the runtime is up. */
export function Index({ notebooks }: { notebooks: Card[] }) {
  return (
    <Live>
      <main className="mx-auto max-w-3xl px-5 py-10">
        <h1 className="font-serif text-xl leading-relaxed">
          Kill an agent in the middle of a tool call, and watch it come back where it was.
        </h1>
        <Facts />
        <ul className="mt-6 grid gap-4">
          {notebooks.map(({ slug, title, minutes, learns }) => (
            <li key={slug} className="rounded-lg border border-line bg-sheet p-5">
              <h2 className="font-serif text-[22px] font-semibold">
                <Link href={`/notebooks/${slug}`} className="text-accent underline underline-offset-4">
                  {title}
                </Link>
              </h2>
              <p className="text-[13px] text-soft">{minutes} minutes. You learn</p>
              <ul className="mt-1 list-disc pl-5">
                {learns.map((each) => (
                  <li key={each}>{each}</li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </main>
    </Live>
  );
}
