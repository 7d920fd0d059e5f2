import type { TestContext } from 'node:test'
import type { Engine } from '#core/tx.ts'
import { newAddress } from '../support/browser.ts'
import { docketOn, type Served } from '../support/engines.ts'
import type { App, Said } from '../support/oauth.ts'

/** Fields in their order; a name may come twice. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** A challenge that nobody needs to answer. */
export const CHALLENGE = 'x'.repeat(43)

/** What an application asks for, as it should; names that come in `twist` replace it, or go if undefined. */
export function asking(app: App, twist: Record<string, string | undefined> = {}): Fields {
  const right = {
    ...{ response_type: 'code', client_id: app.id, redirect_uri: app.redirect_uri },
    ...{ scope: 'tasks:read', state: 'a state' },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
  }
  return Object.entries({ ...right, ...twist }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
}

const encoded = (fields: Fields): string => `${new URLSearchParams(fields.map((one) => [...one]))}`

/** What comes of an authorization request. */
export interface Sent {
  status: number
  /** To where the browser is sent; empty if nowhere. */
  location: string
  headers: Record<string, unknown>
  text: string
}

/** Opens `GET /oauth/authorize`, with a query as it is written or as fields. */
export async function authorize(
  { server }: Pick<Served, 'server'>,
  query: Fields | string,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const url = `/oauth/authorize?${typeof query === 'string' ? query : encoded(query)}`
  const reply = await server.inject({ url, headers, remoteAddress: newAddress() })
  const location = String(reply.headers.location ?? '')
  return { status: reply.statusCode, location, headers: reply.headers, text: reply.body }
}

/** Whether the page of consent was opened, which is what a right request comes to. */
export const isAsked = ({ status, location }: Sent): boolean =>
  status === 303 && location.includes('/oauth/consent/')

/** Sends a form, field by field, with nothing added. */
export async function sendForm(
  { server }: Pick<Served, 'server'>,
  path: string,
  fields: Fields,
  { headers = {}, address = newAddress() }: { headers?: object; address?: string } = {},
): Promise<Said> {
  const reply = await server.inject({
    method: 'POST',
    url: path,
    remoteAddress: address,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: encoded(fields),
  })
  const isJson = String(reply.headers['content-type']).startsWith('application/json')
  const body = isJson && reply.body !== '' ? reply.json() : {}
  return { status: reply.statusCode, body, text: reply.body, headers: reply.headers }
}

/** How an OAuth address answered, in a word: its status, and the error it names. */
export function wordOf({ status, body }: Pick<Said, 'status' | 'body'>): string {
  const { error } = body
  if (error === undefined) return String(status)
  return `${status} ${typeof error === 'string' ? error : Object(error).code}`
}

/** The library has no clock but `Date.now`: a Docket has it too, where a test moves it there and back. */
const lent = { clock: { now: () => Date.now() } }

/** A Docket for tests that let time pass. */
export const docketInTime = (engine: Engine): Promise<Served> => docketOn(engine, {}, lent)

/** Another server on the same store: what a second process is, or one that was started again. */
export const beside = ({ engine, config }: Served): Promise<Served> => {
  const env = { DOCKET_DATA_DIR: config.dataDir, DOCKET_METRICS_TOKEN: 'of the second server' }
  return docketOn(engine, env, lent)
}

/** From now on and until the end of the test time stands still, but when it is let pass. */
export function stoppedTime({ mock }: TestContext) {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  return ({ days = 0, seconds = 0 }: { days?: number; seconds?: number }): void =>
    mock.timers.tick((days * 86_400 + seconds) * 1_000)
}
