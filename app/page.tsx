import { connection } from "next/server";
import { Index } from "@/components/index-page";
import { notebooks } from "@/lib/playground/notebooks";

export default async function Page() {
  // Each answer has a nonce of its own in its Content-Security-Policy, so the page is made for each request.
  await connection();
  const cards = notebooks().map(({ slug, title, minutes, learns }) => ({ slug, title, minutes, learns }));
  return <Index notebooks={cards} />;
}
