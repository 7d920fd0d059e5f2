/** After this time a request that was answered by the cache is sent anew, as its connection may be dead. */
const MAX_AGE_MS = 4_000

/**
 * Requests for which the cache has answered because they took too long. The next read of the same
 * name takes such a request over, instead of sending it once more.
 */
export class LateReads<T> {
  readonly #requests = new Map<string, Promise<T>>()

  keep(name: string, request: Promise<T>): void {
    this.#requests.set(name, request)
    const forget = () => {
      if (this.#requests.get(name) === request) this.#requests.delete(name)
    }
    setTimeout(forget, MAX_AGE_MS)
    request.catch(forget)
  }

  /** The request of that name, once; undefined if there is none. */
  take(name: string): Promise<T> | undefined {
    const request = this.#requests.get(name)
    this.#requests.delete(name)
    return request
  }
}
