import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import {
  answerConsent,
  expectHeading,
  listGrantedApps,
  waitForConsent,
} from '../support/oauth/consent-page.ts'
import { startForeignSite } from '../support/oauth/foreign-site.ts'
import { startWebApplication } from '../support/oauth/web-application.ts'

interface ConsentTarget {
  url: string
  uid: string
  workspace_id: string
}

/**
 * Sends every kind of cross-site request that a page can make to answer the consent. It runs within
 * the page.
 */
async function attackConsent({ url, uid, workspace_id }: ConsentTarget): Promise<void> {
  const json = JSON.stringify({ decision: 'allow', workspace_id })
  const to = `${url}/internal/oauth/interactions/${uid}`
  const form = new URLSearchParams({ decision: 'allow', workspace_id })
  const simple = { method: 'POST', mode: 'no-cors', credentials: 'include' } as const
  const headers = { 'content-type': 'application/json' }
  for (const body of [json, form, new Blob([json]), null]) {
    await fetch(to, { ...simple, body }).catch(() => undefined)
  }
  await fetch(to, { ...simple, mode: 'cors', headers, body: json }).catch(() => undefined)
  for (const enctype of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ]) {
    const frame = Object.assign(document.createElement('iframe'), { name: enctype })
    const form = Object.assign(document.createElement('form'), { action: to, method: 'post' })
    Object.assign(form, { enctype, target: enctype })
    const field = document.createElement('input')
    form.append(Object.assign(field, { name: json.slice(0, -1), value: '}' }))
    document.body.append(frame, form)
    // A blocked frame fires `load` too, for the error page of the browser.
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
    form.submit()
    await loaded
  }
}

/** Whether a page can frame an address; a blocked one shows the error page of the browser. */
async function isFramed(tab: Page, url: string): Promise<boolean> {
  await tab.evaluate(async (address) => {
    const frame = Object.assign(document.createElement('iframe'), { src: address })
    document.body.append(frame)
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  }, url)
  return tab.frames().some((frame) => frame !== tab.mainFrame() && /^http/.test(frame.url()))
}

for (const from of ['127.0.0.1', 'localhost'] as const) {
  browserTest(
    `a page of ${from} can neither frame nor answer the consent screen`,
    async (fixture) => {
      const { as, team, docket, allow } = fixture
      // The browser logs everything that it blocks.
      allow(/.*/, 400, 401, 403, 404, 415)
      const { app, loginUrl, callbacks } = await startWebApplication(fixture)
      const page = await as('member')
      await page.goto(loginUrl())
      const uid = await waitForConsent(page)
      const evil = await startForeignSite(fixture, undefined, from)
      const tab = await page.context().newPage()
      const statuses: number[] = []
      tab.on('response', (reply) => {
        if (reply.request().method() === 'POST') statuses.push(reply.status())
      })
      await tab.goto(evil.origin)
      await tab.evaluate(attackConsent, { url: docket.url, uid, workspace_id: team.workspace })
      // Another port is the same site, so cookies are sent, and the server has to reject it.
      await expect.poll(() => statuses.length).toBe(7)
      assert.deepEqual([...new Set(statuses)], [from === '127.0.0.1' ? 403 : 401])

      assert.equal(await isFramed(tab, `${evil.origin}/own`), true)
      for (const path of [`/oauth/consent/${uid}`, '/sign-in', '/oauth/authorize']) {
        await tab.goto(evil.origin)
        assert.equal(await isFramed(tab, docket.url + path), false, path)
      }
      await tab.goto(evil.origin)
      assert.equal(await isFramed(tab, loginUrl()), false, 'nor by way of the application')
      assert.deepEqual([await listGrantedApps(docket, team.people.member), callbacks()], [[], []])

      await answerConsent(page, 'Allow')
      await expectHeading(page, 'Hello The member of Test')
      assert.deepEqual(await listGrantedApps(docket, team.people.member), [app.id])
    },
  )
}
