/** A reply of the simulated server, with what the web app uses of the `Response` of a browser. */
export class SimulatedResponse {
  readonly status: number
  readonly #text: string
  readonly #headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<Uint8Array> | undefined

  constructor(
    text: string,
    status = 200,
    headers: Readonly<Record<string, string>> = {},
    body?: ReadableStream<Uint8Array>,
  ) {
    this.#text = text
    this.status = status
    this.#headers = headers
    this.body = body
  }

  get ok(): boolean {
    return this.status < 400
  }

  get headers() {
    return {
      get: (name: string): string | null => this.#headers[name] ?? null,
      has: (name: string): boolean => name in this.#headers,
    }
  }

  clone(): SimulatedResponse {
    return this
  }

  text = async (): Promise<string> => this.#text
  json = async (): Promise<unknown> => JSON.parse(this.#text)
}
