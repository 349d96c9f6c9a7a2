import { type ReactNode, useId } from "react";

/** A labelled region of the control room. */
export function Panel({
  title,
  tone = "plain",
  children,
}: {
  title: ReactNode;
  tone?: "plain" | "doubt";
  children: ReactNode;
}) {
  const id = useId();
  const look = tone === "doubt" ? "border-doubt-line bg-doubt-ground" : "border-line bg-sheet";
  return (
    <section aria-labelledby={id} className={`rounded-lg border px-3.5 py-3 ${look}`}>
      <h2
        id={id}
        className={`mb-2 text-[13px] font-semibold ${tone === "doubt" ? "text-doubt" : "text-soft"}`}
      >
        {title}
      </h2>
      {children}
    </section>
  );
}
