import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { connection } from "next/server";
import { NotebookPage } from "@/components/notebook/notebook-page";
import { Prose } from "@/components/notebook/prose";
import { notebooks } from "@/lib/playground/notebooks";

type Props = { params: Promise<{ slug: string }> };

async function find({ params }: Props) {
  const { slug } = await params;
  return notebooks().find((notebook) => notebook.slug === slug) ?? notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: `${(await find(props)).title} · Relight` };
}

export default async function Page(props: Props) {
  await connection();
  const { blocks, ...about } = await find(props);
  // Prose is drawn here, so that no Markdown parser travels to the browser.
  const drawn = blocks.map((block) =>
    block.kind === "prose" ? { ...block, prose: <Prose markdown={block.markdown} /> } : block,
  );
  return <NotebookPage {...about} blocks={drawn} />;
}
