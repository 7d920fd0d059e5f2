import type { FastifyRequest } from 'fastify'
import { serviceUnavailable } from '#core/api-error.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'

/** The most that may wait for the clients of one workspace, or of one network without a credential. */
const MAX_UNSENT_BYTES = 64 * 1_024 * 1_024
/**
 * How many replies of one workspace are made at the same time. Nobody knows beforehand how long they get, so together they may
 * pass the maximum. It is half of the connections to PostgreSQL.
 */
const MAX_MADE_AT_ONCE = 8

/** What is needed of a request. */
interface ReplyRequest extends Pick<FastifyRequest, 'actor' | 'ip' | 'unsent'> {
  readonly raw: { readonly socket: { readonly destroyed: boolean } }
}

/**
 * Bounds the memory that replies take until their clients have read them, by workspace, or by network without a credential. A
 * reply counts from the moment at which its text exists, so also while it is compressed, until all of it has left:
 * that is how long it takes memory.
 */
export class UnsentReplies {
  /** By owner. */
  readonly #bytes = new Map<string, number>()
  /** By owner: how many replies are being made, and what begins those that wait for that. */
  readonly #making = new Map<string, { count: number; readonly waiting: (() => void)[] }>()

  /** Counts bytes that have to be sent; a negative number, those that have left. */
  count(request: ReplyRequest, bytes: number): void {
    const { unsent, raw } = request
    // The reply of a closed connection is released already.
    if (bytes === 0 || raw.socket.destroyed) return
    // The owner stays the same, even if a session ends meanwhile.
    const owner = unsent?.owner ?? ownerOf(request)
    request.unsent = { owner, bytes: (unsent?.bytes ?? 0) + bytes }
    this.#add(owner, bytes)
  }

  /** Forgets the reply to a request, which has left or whose connection is closed. */
  release({ unsent }: ReplyRequest): void {
    if (unsent) this.#add(unsent.owner, -unsent.bytes)
  }

  #add(owner: string, bytes: number): void {
    const sum = (this.#bytes.get(owner) ?? 0) + bytes
    if (sum > 0) this.#bytes.set(owner, sum)
    else this.#bytes.delete(owner)
  }

  /** Throws 503 for a request whose reply would have to wait with too many others. */
  assertRoomFor(request: ReplyRequest): void {
    const sum = this.#bytes.get(ownerOf(request)) ?? 0
    if (sum <= MAX_UNSENT_BYTES) return
    const where = request.actor ? 'this workspace' : 'your network'
    throw serviceUnavailable(
      `Too many replies for ${where} wait until their clients read them. Read them, or close their connections, and try again.`,
    )
  }

  /**
   * Makes a reply that may be long: reads it, and if it has one piece, writes it. Throws 503 if there is no room for it by
   * the time at which those that came before are made.
   */
  make<T>(request: ReplyRequest, work: () => MaybePromise<T>): MaybePromise<T> {
    const owner = ownerOf(request)
    const making = this.#making.getOrInsertComputed(owner, () => ({ count: 0, waiting: [] }))
    const end = () => {
      // The next one takes over the place, so the count stays the same.
      const next = making.waiting.shift()
      if (next) next()
      else making.count -= 1
      if (making.count === 0) this.#making.delete(owner)
    }
    const run = () => {
      let made: MaybePromise<T>
      try {
        this.assertRoomFor(request)
        made = work()
      } catch (error) {
        end()
        throw error
      }
      if (made instanceof Promise) return made.finally(end)
      end()
      return made
    }
    if (making.count >= MAX_MADE_AT_ONCE)
      return new Promise<void>((begin) => making.waiting.push(begin)).then(run)
    making.count += 1
    return run()
  }
}

const ownerOf = ({ actor, ip }: ReplyRequest): string =>
  actor?.workspace_id || `network ${clientNetworkOf(ip)}`
