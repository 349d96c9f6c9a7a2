import type { Worker } from "../records/view";
import type { Http } from "./http";

export interface StartWorker {
  name: string;
  scenario: string;
  /** Takes over without a look at what changed. */
  ignoreChanges?: boolean;
}

type Signalled = { pid: number; signal: string; cursor: number };

/** The processes that work on records. */
export class WorkersClient {
  constructor(private readonly http: Http) {}

  async list(): Promise<Worker[]> {
    return (await this.http.get<{ workers: Worker[] }>("/workers")).workers;
  }

  /** Starts an OS process; `cursor` is where the log says so. @throws ALREADY_RUNNING; NOT_FOUND if there is no such worker; INVALID */
  async start(options: StartWorker): Promise<WorkerClient & { pid: number; cursor: number }> {
    const { name, pid, cursor } = await this.http.post<Worker & { cursor: number }>("/workers", options);
    return Object.assign(this.worker(name), { pid, cursor });
  }

  /** A worker that is there already; nothing is asked of the server. */
  worker(name: string): WorkerClient {
    return new WorkerClient(this.http, name);
  }
}

/** One worker. */
export class WorkerClient {
  constructor(
    private readonly http: Http,
    readonly name: string,
  ) {}

  /** SIGKILL; its death is in the log when it resolves. @throws NOT_RUNNING */
  kill(): Promise<Signalled> {
    return this.#signal("kill");
  }

  /** SIGSTOP: it is frozen where it is. @throws NOT_RUNNING */
  pause(): Promise<Signalled> {
    return this.#signal("pause");
  }

  /** SIGCONT. @throws NOT_RUNNING */
  continue(): Promise<Signalled> {
    return this.#signal("continue");
  }

  /** What it printed. */
  async output(): Promise<string> {
    const { workers } = await this.http.get<{ workers: Worker[] }>("/workers");
    return workers.find(({ name }) => name === this.name)?.output ?? "";
  }

  #signal(what: string): Promise<Signalled> {
    return this.http.post(`/workers/${encodeURIComponent(this.name)}/${what}`);
  }
}
