import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { unavailable } from '#core/refusal.ts'
import type { Use } from '#identity/last-use.ts'
import type { Taken, Taking } from '#limits/shared.ts'
import type { Count } from '#limits/usage.ts'

/** What the process that writes does for those that only read: by name, with one argument each. */
export interface Answers {
  /** Counts of limits, which it keeps for all. */
  take(asked: readonly Taking[]): Promise<readonly Taken[]>
  /** The newest notice of a workspace. */
  newest(workspace_id: string): Promise<string>
  /** Writes down what another process has counted or noted. */
  uses(uses: readonly Use[]): Promise<null>
  counts(counts: readonly (readonly [workspace_id: string, counts: Count[]])[]): Promise<null>
  /** Whether it can write. */
  ready(about: null): Promise<boolean>
}

type What = keyof Answers
type About<K extends What> = Parameters<Answers[K]>[0]
type Answer<K extends What> = Awaited<ReturnType<Answers[K]>>

interface Question {
  id: number
  what: What
  about: unknown
}
interface Reply {
  id: number
  answer?: unknown
  /** Why there is none. */
  error?: string
}

/** By this name of a protocol a connection becomes a line. */
export const LINE = 'docket-line'
const AGAIN_MS = 50
const AGAIN_LATEST_MS = 500
/** Who has not answered by then is taken for gone. */
const PATIENCE_MS = 5_000

interface Waiting {
  told: (reply: Reply) => void
  timer: NodeJS.Timeout
}

/**
 * The one connection by which a process that only reads asks the one that writes. It is made anew
 * whenever it ends; while there is none, whoever asks is refused at once.
 */
export class Line {
  readonly #path: string
  readonly #waiting = new Map<number, Waiting>()
  readonly #opened = Promise.withResolvers<void>()
  #socket: Duplex | undefined
  #last = 0
  #wait = AGAIN_MS
  #again: NodeJS.Timeout | undefined
  #isOver = false

  constructor(path: string) {
    this.#path = path
    this.#connect()
  }

  /** Ends when it is open for the first time. */
  opened(): Promise<void> {
    return this.#opened.promise
  }

  /** Asks; a refusal (503) where nobody answers. */
  ask<K extends What>(what: K, about: About<K>): Promise<Answer<K>> {
    const socket = this.#socket
    if (!socket) return Promise.reject(away())
    const { promise, resolve, reject } = Promise.withResolvers<Answer<K>>()
    this.#last += 1
    const id = this.#last
    const timer = setTimeout(() => this.#told({ id, error: 'It did not answer' }), PATIENCE_MS)
    const told = ({ answer, error }: Reply) => {
      if (error === undefined) resolve(answer as Answer<K>)
      else reject(away(error))
    }
    this.#waiting.set(id, { told, timer })
    socket.write(`${JSON.stringify({ id, what, about } satisfies Question)}\n`)
    return promise
  }

  close(): void {
    this.#isOver = true
    clearTimeout(this.#again)
    this.#socket?.destroy()
  }

  #connect(): void {
    const asked = request({
      ...{ socketPath: this.#path, agent: false, timeout: PATIENCE_MS },
      headers: { connection: 'Upgrade', upgrade: LINE },
    })
    asked.on('upgrade', (_, socket) => this.#open(socket))
    asked.on('response', () => asked.destroy())
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => this.#later())
    asked.end()
  }

  #open(socket: Duplex): void {
    if (this.#isOver) return void socket.destroy()
    this.#socket = socket
    this.#wait = AGAIN_MS
    this.#opened.resolve()
    eachLine(socket, (text) => this.#told(JSON.parse(text) as Reply))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#socket = undefined
      for (const id of [...this.#waiting.keys()]) this.#told({ id, error: 'It has ended' })
      this.#later()
    })
  }

  #later(): void {
    if (this.#isOver) return
    this.#again = setTimeout(() => this.#connect(), this.#wait)
    this.#wait = Math.min(2 * this.#wait, AGAIN_LATEST_MS)
  }

  /** What nobody waits for any more is dropped. */
  #told(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    if (!waiting) return
    this.#waiting.delete(reply.id)
    clearTimeout(waiting.timer)
    waiting.told(reply)
  }
}

/** What is told where the process that writes is not there. */
export const away = (cause?: unknown) =>
  unavailable('The process that writes is being started again. Try again soon.', cause)

/** Answers what is asked on a line, as soon as each answer is known. */
export function answerOn(socket: Duplex, answers: Answers): void {
  eachLine(socket, async (text) => {
    const { id, what, about } = JSON.parse(text) as Question
    const reply = await answerTo(answers, what, about).then(
      (answer): Reply => ({ id, answer }),
      (error): Reply => ({ id, error: error instanceof Error ? error.message : 'unknown' }),
    )
    if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`)
  })
}

/** Both ends are the same program: what is asked by a name is of its type. */
async function answerTo(answers: Answers, what: What, about: unknown): Promise<unknown> {
  const answer: (about: never) => Promise<unknown> = answers[what]
  return answer(about as never)
}

function eachLine(socket: Duplex, take: (text: string) => void): void {
  // The server's sockets take no encoding.
  const decoder = new StringDecoder('utf8')
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}
