import { useState } from "react";
import { toMarkdown } from "@/lib/notebooks/markdown";
import type { Block } from "@/lib/notebooks/parse";
import type { Session } from "@/lib/notebooks/session";
import { relight } from "../control-room/live";
import { Button } from "../ui/button";

export function CopyButton({
  title,
  blocks,
  session,
}: {
  title: string;
  blocks: readonly Block[];
  session: Session;
}) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    const secrets = (await relight.keys()).map(({ token }) => token);
    await navigator.clipboard.writeText(toMarkdown(title, blocks, session, secrets));
    setSaid("Copied, without keys.");
  };
  return (
    <>
      <Button onClick={() => void copy().catch(() => setSaid("This browser does not let it be copied."))}>
        Copy as Markdown
      </Button>
      <span role="status" className="text-[13px] text-soft">
        {said}
      </span>
    </>
  );
}
