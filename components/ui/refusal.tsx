/** Why something that a person did was refused. */
export function Refusal({ text }: { text: string | null }) {
  return (
    <div role="alert" className="text-[13px] text-death empty:hidden">
      {text}
    </div>
  );
}
