import assert from 'node:assert/strict'

/** The page where a browser ended up. The status is 0 if no server answered. */
export interface LandingPage {
  address: URL
  status: number
  text: string
}

/** A person's decision on the consent page. */
export type ConsentAnswer = { decision: 'allow'; workspace_id?: string } | { decision: 'deny' }

const MAX_REDIRECTS = 20

/** Signs a person in at a server, in a browser without a user interface (docs/spec/api.md#keys-applications-consent). */
export async function signInPerson(url: string, email: string, password: string) {
  /** As in a browser, cookies belong to the host and are sent to all of its ports. */
  const cookies = new Map<string, string>()
  let asked: Record<string, unknown> = {}

  async function send(address: URL, method = 'GET', body?: object): Promise<Response> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const reply = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { cookie, origin: address.origin, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/Max-Age=0\b|Expires=Thu, 01 Jan 1970/i.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return reply
  }

  /** Decides on the consent page; returns where the browser is redirected to. */
  async function decide(uid: string, answer: ConsentAnswer): Promise<URL> {
    const address = new URL(`/internal/oauth/interactions/${uid}`, url)
    asked = (await (await send(address)).json()) as Record<string, unknown>
    const [workspace] = asked.workspaces as { id: string }[]
    const body = { workspace_id: workspace?.id, ...answer }
    const reply = await send(address, 'POST', body)
    const said = (await reply.json()) as { redirect_to: string }
    assert.equal(reply.status, 200, JSON.stringify(said))
    return new URL(said.redirect_to)
  }

  /** Opens an address and follows its redirects. */
  async function open(
    address: string,
    answer: ConsentAnswer = { decision: 'allow' },
  ): Promise<LandingPage> {
    let at = new URL(address)
    for (let step = 0; step < MAX_REDIRECTS; step++) {
      const uid = at.origin === url && /^\/oauth\/consent\/([\w-]+)/.exec(at.pathname)?.[1]
      if (uid) {
        at = await decide(uid, answer)
        continue
      }
      const reply = await send(at).catch(() => undefined)
      const location = reply?.headers.get('location')
      const text = (await reply?.text()) ?? ''
      if (!location) return { address: at, status: reply?.status ?? 0, text }
      at = new URL(location, at)
    }
    throw new Error(`${address} leads in circles`)
  }

  const session = await send(new URL('/internal/session', url), 'POST', { email, password })
  assert.equal(session.status, 201, await session.text())
  return { open, send, cookies, asked: () => asked }
}
