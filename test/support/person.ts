import assert from 'node:assert/strict'

/** Where a browser came to stand: its address, and what is shown; status 0 where nobody answered. */
export interface Shown {
  address: URL
  status: number
  text: string
}

/** What a person answers on the page of consent. */
export type Answer = { decision: 'allow'; workspace_id?: string } | { decision: 'deny' }

const MOST_STEPS = 20

/** A person who is signed in at a server, with a browser that has no screen (contract 9.4). */
export async function personAt(url: string, email: string, password: string) {
  /** As in a browser they are of the host, whatever the port. */
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

  /** Answers on the page of consent: where the browser goes on. */
  async function answered(uid: string, answer: Answer): Promise<URL> {
    const address = new URL(`/internal/oauth/interactions/${uid}`, url)
    asked = (await (await send(address)).json()) as Record<string, unknown>
    const [workspace] = asked.workspaces as { id: string }[]
    const body = { workspace_id: workspace?.id, ...answer }
    const reply = await send(address, 'POST', body)
    const said = (await reply.json()) as { redirect_to: string }
    assert.equal(reply.status, 200, JSON.stringify(said))
    return new URL(said.redirect_to)
  }

  /** Opens an address and goes where it leads. */
  async function open(address: string, answer: Answer = { decision: 'allow' }): Promise<Shown> {
    let at = new URL(address)
    for (let step = 0; step < MOST_STEPS; step++) {
      const uid = at.origin === url && /^\/oauth\/consent\/([\w-]+)/.exec(at.pathname)?.[1]
      if (uid) {
        at = await answered(uid, answer)
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
