import { connection } from "next/server";
import { Playground } from "@/components/playground";

export default async function Page() {
  // Each answer has a nonce of its own in its Content-Security-Policy, so the page is made for each request.
  await connection();
  return <Playground />;
}
