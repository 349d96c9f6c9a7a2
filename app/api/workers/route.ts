import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: ({ playground, scope }) => ({ workers: playground.workers(scope).list() }),
  POST: ({ playground, scope, body }) => playground.workers(scope, "change").start(body()),
});
