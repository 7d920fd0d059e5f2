import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { elsewhere } from './support/elsewhere.ts'

interface Target {
  url: string
  project: string
  task: string
  email: string
  password: string
}

/** All that a page can make the browser of a signed-in person send: to be called within that page. */
async function attack({ url, project, task, email, password }: Target): Promise<string[]> {
  const json = JSON.stringify({ project_id: project, title: 'forged' })
  const login = JSON.stringify({ email, password })
  const through = (name: string, path: string, init: RequestInit) =>
    fetch(url + path, { credentials: 'include', ...init }).then(
      (reply) => `${name}: ${reply.type} ${reply.status}`,
      () => `${name}: not let through`,
    )
  const simple = { method: 'POST', mode: 'no-cors' } as const
  const said = [
    await through('text', '/api/v1/tasks', { ...simple, body: json }),
    await through('form', '/api/v1/tasks', { ...simple, body: new URLSearchParams({ a: json }) }),
    await through('blob', '/api/v1/tasks', { ...simple, body: new Blob([json]) }),
    await through('empty', `/api/v1/tasks/${task}/complete`, simple),
    await through('sign-in', '/internal/session', { ...simple, body: login }),
    await through('json', '/api/v1/tasks', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: json,
    }),
    await through('delete', `/api/v1/tasks/${task}`, { method: 'DELETE' }),
    await through('sign-out', '/internal/session', { method: 'DELETE' }),
    await through('read', '/api/v1/tasks', {}),
    await through('boot', '/internal/boot', {}),
  ]
  for (const enctype of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]) {
    for (const path of ['/api/v1/tasks', `/api/v1/tasks/${task}/complete`, '/internal/session']) {
      const frame = document.createElement('iframe')
      frame.name = `f${document.querySelectorAll('iframe').length}`
      const form = document.createElement('form')
      Object.assign(form, { action: url + path, method: 'post', enctype, target: frame.name })
      const field = document.createElement('input')
      Object.assign(field, { name: json.slice(0, -1), value: '}' })
      form.append(field)
      document.body.append(frame, form)
      // What is refused loads too: it is the browser's own page then.
      const loaded = new Promise((resolve) =>
        frame.addEventListener('load', resolve, { once: true }),
      )
      form.submit()
      await loaded
    }
  }
  return said
}

async function attacked(scene: Scene, from: '127.0.0.1' | 'localhost') {
  const { docket, team, as, ask, allow } = scene
  // The browser tells of everything that it did not let through.
  allow(/.*/, 400, 401, 403, 404, 405, 415)
  const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    project_id: team.project,
    title: 'Real',
  })
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/my`)
  const evil = await elsewhere(scene, undefined, from)
  const tab = await page.context().newPage()
  await tab.goto(evil.origin)
  const { email, password } = team.people.guest
  const target = { url: docket.url, project: team.project, task: task.id, email, password }
  const said = await tab.evaluate(attack, target)
  const framed = await isFramed(tab, `${docket.url}/sign-in`)
  await page.reload()
  await page.getByRole('heading', { name: 'My work' }).waitFor()
  const who = await page.evaluate(() => fetch('/internal/session').then((reply) => reply.json()))
  const { data } = await ask<{ data: { title: string; completed_at: string | null }[] }>(
    'owner',
    'GET /api/v1/tasks',
  )
  const tasks = data.map(({ title, completed_at }) => `${title} ${completed_at !== null}`)
  return { said, framed, tasks, who: who.user?.id as string }
}

/** Whether a page can show one of Docket's within itself; what is refused becomes the browser's own page. */
async function isFramed(tab: Page, url: string): Promise<boolean> {
  await tab.evaluate(async (address) => {
    const frame = document.createElement('iframe')
    frame.src = address
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  }, url)
  return tab.frames().some((frame) => frame.url() === url)
}

for (const from of ['127.0.0.1', 'localhost'] as const) {
  browse(
    `a page at another port of ${from} cannot forge requests or read replies`,
    async (scene) => {
      const { said, tasks, who, framed } = await attacked(scene, from)
      assert.deepEqual(tasks, ['Real false'])
      assert.equal(who, scene.team.people.owner.id, 'and signs nobody in or out')
      assert.equal(framed, false)
      for (const line of said.slice(0, 5)) assert.match(line, /opaque 0$/, line)
      for (const line of said.slice(5)) assert.match(line, /not let through|basic|cors 401/, line)
    },
  )
}

const NODE_OPTIONS = '--import ./test/support/trusting-origin.ts'
browse(
  'control: a server that trusts any Origin fails these tests',
  { env: { NODE_OPTIONS } },
  async (scene) => {
    const { tasks } = await attacked(scene, '127.0.0.1')
    assert.notDeepEqual(tasks, ['Real false'])
  },
)
