"use client";

import { type ReactNode, useMemo } from "react";
import type { Block } from "@/lib/notebooks/parse";
import { ControlRoom } from "../control-room/control-room";
import { Scrubbed } from "../control-room/view";
import { Live } from "../live-page";
import { CellView } from "./cell-view";
import { CopyButton } from "./copy-button";
import { Diagram } from "./diagram";
import { ModelPicker, useModel } from "./model-picker";
import { isOfRecovery, RecoveryDiagram } from "./recovery-diagram";
import { RunBar } from "./run-bar";
import { Steps, useStayAtHash } from "./steps";
import { useNotebook } from "./use-notebook";

type Drawn = Block & { prose?: ReactNode };

export interface NotebookPageProps {
  slug: string;
  title: string;
  minutes: number;
  learns: string[];
  blocks: Drawn[];
}

export function NotebookPage(props: NotebookPageProps) {
  return (
    <Live
      title={
        <>
          <span>{props.title}</span>
          <Steps />
        </>
      }
    >
      <main className="mx-auto grid max-w-[1500px] grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_clamp(400px,42vw,600px)]">
        <Article {...props} />
        <Scrubbed>
          <ControlRoom />
        </Scrubbed>
      </main>
    </Live>
  );
}

function Article({ slug, title, minutes, blocks }: NotebookPageProps) {
  const cells = useMemo(() => blocks.filter((block) => block.kind === "cell"), [blocks]);
  const [model, chooseModel] = useModel();
  const notebook = useNotebook(slug, cells, model);
  const asks = cells.some(({ code }) => code.includes("relight.model"));
  const article = useStayAtHash();
  return (
    <article ref={article} className="w-full max-w-[820px] justify-self-center px-4 pt-8 pb-[75vh] sm:px-12">
      <h1 className="font-serif text-[30px] font-semibold leading-tight">{title}</h1>
      <p className="mb-4 text-[13px] text-soft">About {minutes} minutes.</p>
      <RunBar notebook={notebook}>
        <CopyButton title={title} blocks={blocks} session={notebook.session} />
        {asks ? <ModelPicker model={model} choose={chooseModel} /> : null}
      </RunBar>
      {blocks.map((block) => {
        if (block.kind === "cell") return <CellView key={block.id} cell={block} notebook={notebook} />;
        if (block.kind === "diagram") {
          const Drawing = isOfRecovery(block.source) ? RecoveryDiagram : Diagram;
          return <Drawing key={block.line} source={block.source} />;
        }
        return <div key={block.line}>{block.prose}</div>;
      })}
    </article>
  );
}
