import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const savedComments = async ({ ask }: BrowserFixture, id: string) => {
  const path = `GET /api/v1/tasks/${id}/comments`
  return (await ask<{ data: { body: string }[] }>('owner', path)).data.map(({ body }) => body)
}

async function addComment(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).click()
  await page.getByLabel('Comment', { exact: true }).fill(text)
  await page.keyboard.press('ControlOrMeta+Enter')
  // While the editor is open, keys are text and not shortcuts.
  await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).waitFor()
}

/** Opens the page of a task with a clock that can be advanced. */
async function openTask(fixture: BrowserFixture) {
  const { as, team } = fixture
  fixture.allow(/ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY)|net::/)
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
  assert.ok(task)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'One' }).waitFor()
  return { page, id: task.id, thread: page.getByRole('region', { name: 'Activity' }) }
}

/** Adds a comment that the server creates without an answer. The retry waits until it is released. */
async function addCommentWithLostReply(page: Page, id: string, text: string) {
  const release = Promise.withResolvers<void>()
  const retried = Promise.withResolvers<void>()
  let sent = 0
  await routeRequests(page, `**/api/v1/tasks/${id}/comments`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    sent += 1
    if (sent > 1) {
      retried.resolve()
      return release.promise.then(() => route.continue())
    }
    await route.fetch()
    await route.abort('connectionreset')
  })
  await addComment(page, text)
  return { retried: retried.promise, release: release.resolve }
}

browserTest('a comment whose response was lost is sent again and created once', async (fixture) => {
  const { page, id, thread } = await openTask(fixture)
  const { retried, release } = await addCommentWithLostReply(page, id, 'Once')
  // Until the retry is answered the stored comment may stand beside the one that is still sent.
  await expect(thread.getByText('Once').first()).toBeVisible()
  await expect.poll(() => savedComments(fixture, id)).toEqual(['Once'])
  await retried
  await expect(thread.getByText('Sending …')).toBeVisible()
  release()
  await expect(thread.getByText('Sending …')).toBeHidden()
  await expect(thread.getByText('Once')).toHaveCount(1)
  assert.deepEqual(await savedComments(fixture, id), ['Once'])
})

browserTest(
  'a comment that was deleted before its lost response is repeated stays away',
  async (fixture) => {
    const { ask } = fixture
    const { page, id, thread } = await openTask(fixture)
    const { retried, release } = await addCommentWithLostReply(page, id, 'Short-lived')
    await retried
    const path = `/api/v1/tasks/${id}/comments`
    const { data } = await ask<{ data: { id: string }[] }>('owner', `GET ${path}`)
    const read = page.waitForResponse(
      async (response) =>
        response.url().includes(path) &&
        response.request().method() === 'GET' &&
        !(await response.text()).includes('Short-lived'),
    )
    await ask('owner', `DELETE /api/v1/comments/${data[0]?.id}`)
    await read
    release()
    await expect(thread.getByText('Sending …')).toBeHidden()
    await expect(thread.getByText('Short-lived', { exact: true })).toHaveCount(0)
  },
)

browserTest(
  'a comment and a title that cannot be sent are sent when the server answers again',
  async (fixture) => {
    const { ask } = fixture
    const { page, id, thread } = await openTask(fixture)
    const task = `**/api/v1/tasks/${id}{,/comments}`
    await routeRequests(page, task, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort(),
    )
    await addComment(page, 'Twice')
    await page.keyboard.press('e')
    await page.getByLabel('Title').fill('Two')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => {
        await page.clock.fastForward(2_000)
        return thread.getByText('Not saved').isVisible()
      })
      .toBe(true)
    await expect(page.getByRole('heading', { level: 1, name: 'Two' })).toBeVisible()
    await page.unroute(task)
    // Each write is retried automatically, or has failed for good and needs its Retry button.
    const retryUnsent = async (retry: Locator) => {
      await page.clock.fastForward(2_000)
      if (await retry.isVisible()) await retry.click({ timeout: 1_000 }).catch(() => undefined)
    }
    await expect
      .poll(async () => {
        await retryUnsent(thread.getByRole('button', { name: 'Retry' }))
        return savedComments(fixture, id)
      })
      .toEqual(['Twice'])
    await expect(thread.getByText('Not saved')).toBeHidden()
    await expect
      .poll(async () => {
        await retryUnsent(page.locator('.bars').getByRole('button', { name: 'Retry' }))
        return (await ask<{ title: string }>('owner', `GET /api/v1/tasks/${id}`)).title
      })
      .toBe('Two')
  },
)

browserTest(
  'a comment that was sent while the page was closed is created once',
  async (fixture) => {
    const { page, id, thread } = await openTask(fixture)
    const comments = `**/api/v1/tasks/${id}/comments`
    const aborted = Promise.withResolvers<void>()
    await routeRequests(page, comments, async (route) => {
      if (route.request().method() !== 'POST') return route.abort()
      await route.fetch()
      await route.abort()
      aborted.resolve()
    })
    await addComment(page, 'Left behind')
    await expect.poll(() => savedComments(fixture, id)).toEqual(['Left behind'])
    // The comment is saved a moment before its request is aborted.
    await aborted.promise
    await page.unroute(comments)
    await page.reload()
    await expect(thread.getByText('Left behind')).toHaveCount(1)
    await expect(thread.getByText('Sending …')).toBeHidden()
    assert.deepEqual(await savedComments(fixture, id), ['Left behind'])
  },
)

browserTest('shows the new text of a comment over a reload before it is sent', async (fixture) => {
  const { as, ask, team } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
  assert.ok(task)
  await ask('member', `POST /api/v1/tasks/${task.id}/comments`, { body: 'Before' })
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByText('Before', { exact: true }).waitFor()
  const address = '**/api/v1/comments/*'
  const held = page.waitForRequest(address)
  // The request stays pending until the page is left.
  await routeRequests(page, address, () => undefined)
  await page.getByRole('button', { name: /^More/ }).last().click()
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Comment', { exact: true }).fill('After')
  await page.keyboard.press('ControlOrMeta+Enter')
  await held
  await page.reload()
  await expect(page.getByText('After', { exact: true })).toBeVisible()
  assert.deepEqual(await savedComments(fixture, task.id), ['Before'])
  await page.unroute(address)
  await page.reload()
  await expect.poll(() => savedComments(fixture, task.id)).toEqual(['After'])
  await expect(page.getByText('After', { exact: true })).toBeVisible()
})

/** Writes a comment in another tab, which is closed before the comment is sent. */
async function leaveCommentInClosedTab(page: Page, id: string, text: string): Promise<void> {
  const tab = await page.context().newPage()
  tab.on('dialog', (dialog) => dialog.accept())
  await tab.goto(page.url())
  await tab.getByRole('heading', { level: 1, name: 'One' }).waitFor()
  const address = `**/api/v1/tasks/${id}/comments`
  await routeRequests(tab, address, (route) =>
    route.request().method() === 'POST' ? undefined : route.fallback(),
  )
  const isHeld = tab.waitForRequest((request) => request.method() === 'POST')
  await addComment(tab, text)
  await isHeld
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await tab.goto('about:blank')
  await tab.close()
  // A page that ends holds its lock a moment longer.
  const countOpenPages = async () => {
    const { held = [] } = await navigator.locks.query()
    return held.filter(({ name }) => name?.startsWith('docket-writes-')).length
  }
  await expect.poll(() => page.evaluate(countOpenPages)).toBe(1)
}

browserTest('a tab that stays open sends the comments of closed tabs once', async (fixture) => {
  const { page, id, thread } = await openTask(fixture)
  const sent: string[] = []
  let release = () => {}
  await routeRequests(page, `**/api/v1/tasks/${id}/comments`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    sent.push(route.request().postData() ?? '')
    await new Promise<void>((resolve) => {
      release = resolve
    })
    await route.continue()
  })
  const triggers = {
    'When online': async () => {
      await page.context().setOffline(true)
      await page.context().setOffline(false)
    },
    'When visible': async () => {
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await page.clock.fastForward(1_000)
    },
    'After a minute': () => page.clock.fastForward(60_000),
  }
  for (const [text, trigger] of Object.entries(triggers)) {
    await leaveCommentInClosedTab(page, id, text)
    await trigger()
    await expect(thread.getByText(text, { exact: true })).toBeVisible()
    await expect(thread.getByText('Sending …')).toBeVisible()
    await expect.poll(() => sent.length).toBe(Object.keys(triggers).indexOf(text) + 1)
    // It is taken over once, however often the page looks for more.
    await trigger()
    release()
    await expect(thread.getByText('Sending …')).toBeHidden()
    await expect(thread.getByText(text, { exact: true })).toHaveCount(1)
    await expect.poll(() => countStoredMutations(page)).toBe(0)
  }
  const texts = Object.keys(triggers)
  assert.deepEqual(await savedComments(fixture, id), texts)
  assert.deepEqual(
    sent.map((body) => JSON.parse(body).body),
    texts,
  )
})

browserTest('goes on editing a reply whose comment is deleted meanwhile', async (fixture) => {
  const { page, id, thread } = await openTask(fixture)
  const comments = `POST /api/v1/tasks/${id}/comments`
  const { id: parent_id } = await fixture.ask<{ id: string }>('owner', comments, { body: 'Why?' })
  await fixture.ask('member', comments, { body: 'Because', parent_id })
  await fixture.ask('owner', comments, { body: 'Hm', parent_id })
  await thread.getByText('Because').waitFor()
  await thread.getByRole('button', { name: /comment by The member$/ }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const editor = thread.getByLabel('Comment', { exact: true })
  await editor.fill('Because I')
  await fixture.ask('owner', `DELETE /api/v1/comments/${parent_id}`)
  await expect(thread.getByText('Why?')).toBeHidden()
  await expect(editor).toBeFocused()
  await page.keyboard.type(' say so')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(() => savedComments(fixture, id)).toEqual(['Because I say so', 'Hm'])
})
