import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { startForeignSite } from '../support/oauth/foreign-site.ts'

interface AttackTarget {
  url: string
  project: string
  task: string
  email: string
  password: string
}

/** Sends every kind of cross-site request that a page can make. It runs within the page. */
async function attack({ url, project, task, email, password }: AttackTarget): Promise<string[]> {
  const json = JSON.stringify({ project_id: project, title: 'forged' })
  const login = JSON.stringify({ email, password })
  const send = (name: string, path: string, init: RequestInit) =>
    fetch(url + path, { credentials: 'include', ...init }).then(
      (reply) => `${name}: ${reply.type} ${reply.status}`,
      () => `${name}: not let through`,
    )
  const simple = { method: 'POST', mode: 'no-cors' } as const
  const replies = [
    await send('text', '/api/v1/tasks', { ...simple, body: json }),
    await send('form', '/api/v1/tasks', { ...simple, body: new URLSearchParams({ a: json }) }),
    await send('blob', '/api/v1/tasks', { ...simple, body: new Blob([json]) }),
    await send('empty', `/api/v1/tasks/${task}/complete`, simple),
    await send('sign-in', '/internal/session', { ...simple, body: login }),
    await send('json', '/api/v1/tasks', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: json,
    }),
    await send('delete', `/api/v1/tasks/${task}`, { method: 'DELETE' }),
    await send('sign-out', '/internal/session', { method: 'DELETE' }),
    await send('read', '/api/v1/tasks', {}),
    await send('boot', '/internal/boot', {}),
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
      // A blocked frame fires `load` too, for the error page of the browser.
      const loaded = new Promise((resolve) =>
        frame.addEventListener('load', resolve, { once: true }),
      )
      form.submit()
      await loaded
    }
  }
  return replies
}

async function runAttack(fixture: BrowserFixture, from: '127.0.0.1' | 'localhost') {
  const { docket, team, as, ask, list, allow } = fixture
  // The browser logs everything that it blocks.
  allow(/.*/, 400, 401, 403, 404, 405, 415)
  const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    project_id: team.project,
    title: 'Real',
  })
  const page = await as('owner')
  const evil = await startForeignSite(fixture, undefined, from)
  const tab = await page.context().newPage()
  await tab.goto(evil.origin)
  const { email, password } = team.people.guest
  const target = { url: docket.url, project: team.project, task: task.id, email, password }
  const replies = await tab.evaluate(attack, target)
  const framed: boolean[] = []
  for (const address of [
    `${evil.origin}/own`,
    `${docket.url}/sign-in`,
    `${docket.url}/oauth/consent/x`,
  ])
    framed.push(await isFramed(tab, address))
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByRole('heading', { name: 'My work' }).waitFor()
  const who = await page.evaluate(() => fetch('/internal/session').then((reply) => reply.json()))
  const data = await list<{ title: string; completed_at: string | null }>('GET /api/v1/tasks')
  const tasks = data.map(({ title, completed_at }) => `${title} ${completed_at !== null}`)
  return { replies, framed, tasks, who: who.user?.id as string }
}

/** Whether a page can frame one of Docket; a blocked one shows the error page of the browser. */
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
  browserTest(
    `a page at another port of ${from} cannot forge requests or read replies`,
    async (fixture) => {
      const { replies, tasks, who, framed } = await runAttack(fixture, from)
      assert.deepEqual(tasks, ['Real false'])
      assert.equal(who, fixture.team.people.owner.id, 'and signs nobody in or out')
      assert.deepEqual(framed, [true, false, false], 'and frames pages of its own alone')
      for (const line of replies.slice(0, 5)) assert.match(line, /opaque 0$/, line)
      for (const line of replies.slice(5))
        assert.match(line, /not let through|basic|cors 401/, line)
    },
  )
}
