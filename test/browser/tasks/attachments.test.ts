import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { expectWritten } from '../support/page-actions.ts'
import { holdRequests, refuseRequest, routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

const MAX_BYTES = 200_000
/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const SCRIPT = '<script>window.__harmed=1</script>'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__harmed=1">${SCRIPT}</svg>`

const file = (name: string, mimeType: string, content: Buffer | string) => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
})

browserTest(
  'uploads, cancels, retries and deletes attachments, and none runs a script',
  { env: { DOCKET_MAX_ATTACHMENT_BYTES: String(MAX_BYTES) } },
  async (fixture) => {
    const { openAs, list, allow } = fixture
    const [task] = await seedTasks(fixture, 1)
    assert.ok(task)
    const page = await openAs('member', `t/${task.short_id}`)
    const files = page.getByRole('region', { name: 'Attachments' })
    await expect(files.getByText('up to 195 kB each')).toBeVisible()
    const input = files.locator('input[type=file]')
    const names = async () => {
      const path = `GET /api/v1/tasks/${task.id}/attachments`
      const data = await list<{ filename: string }>(path)
      return data.map(({ filename }) => filename)
    }

    // Files that are too large or empty are rejected before the upload.
    await input.setInputFiles([
      file('much.bin', '', Buffer.alloc(MAX_BYTES + 1)),
      file('no.txt', '', ''),
    ])
    await expect(page.getByText('“much.bin” is 195 kB. Files can be up to')).toBeVisible()
    await expect(page.getByText('“no.txt” is empty.')).toBeVisible()
    assert.deepEqual(await names(), [])

    // An upload is canceled; another is refused once and is retried.
    allow(/ERR_FAILED|net::/, 403)
    const uploadUrl = `**/api/v1/tasks/${task.id}/attachments?*`
    await routeRequests(page, uploadUrl, () => undefined)
    await input.setInputFiles(file('slow.bin', 'application/octet-stream', Buffer.alloc(1_000)))
    await expect(files.getByRole('progressbar')).toBeVisible()
    const stopped = page.waitForEvent('requestfailed', (request) => request.method() === 'POST')
    await files.getByRole('button', { name: 'Cancel upload of slow.bin' }).click()
    await expect(files.getByText('slow.bin')).toBeHidden()
    // Without waiting, the held request could continue after the route is removed.
    await stopped
    await page.unroute(uploadUrl)
    await routeRequests(page, uploadUrl, refuseRequest, { times: 1 })
    await input.setInputFiles(file('again.txt', 'text/plain', 'again'))
    await expect(files.getByText('Not saved: Not now.')).toBeVisible()
    await files.getByRole('button', { name: 'Retry' }).click()
    await expect(files.getByRole('link', { name: 'again.txt' })).toBeVisible()
    assert.deepEqual(await names(), ['again.txt'])

    // Only one of these is shown as an image, whatever type they claim.
    const hostile = '"><img src=x onerror="__harmed=1">.svg'
    await input.setInputFiles([
      file('point.png', 'image/png', PNG),
      file('script.png', 'image/png', SCRIPT),
      file(hostile, 'image/svg+xml', SVG),
      file('page.html', 'text/html', SCRIPT),
    ])
    await expect(files.getByRole('link')).toHaveCount(5)
    await expect(files.getByText(hostile)).toBeVisible()
    await expect(files.getByRole('button', { name: 'Preview of point.png' })).toBeVisible()
    await expect(files.locator('img')).toHaveCount(1)
    await assertAccessible(page)
    await files.getByRole('button', { name: 'Preview of point.png' }).click()
    await expect(page.getByRole('dialog').getByRole('img', { name: 'point.png' })).toBeVisible()
    await page.keyboard.press('Escape')

    // Opening a file downloads it instead of showing it.
    for (const name of [hostile, 'page.html']) {
      const downloading = page.waitForEvent('download')
      await files.getByRole('link', { name }).click()
      const download = await downloading
      assert.equal(await download.failure(), null)
    }
    assert.equal(await hasRunScript(page), false)

    // A pasted file is attached, and a deletion can be undone.
    await pasteFile(page, 'pasted.txt')
    await expect(files.getByRole('link', { name: 'pasted.txt' })).toBeVisible()
    await files.getByRole('button', { name: 'Delete again.txt' }).click()
    await expect(files.getByText('again.txt')).toBeHidden()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(files.getByText('again.txt')).toBeVisible()
    await files.getByRole('button', { name: 'Delete again.txt' }).click()
    await page.getByRole('button', { name: 'Dismiss' }).last().click()
    await expect.poll(async () => (await names()).includes('again.txt')).toBe(false)
  },
)

const hasRunScript = (page: Page) => page.evaluate(() => '__harmed' in window)

/** Pastes a file where no field has the focus. */
const pasteFile = (page: Page, name: string) =>
  page.evaluate((called) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['from the clipboard'], called, { type: 'text/plain' }))
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.querySelector('.task-frame > .scroll')?.dispatchEvent(event)
  }, name)

browserTest('a comment waits for the upload of a pasted file', async (fixture) => {
  const { openAs, list, allow } = fixture
  allow(403)
  const [task, other] = await seedTasks(fixture, 2)
  assert.ok(task && other)
  const page = await openAs('member', `t/${task.short_id}`)
  await page.getByRole('button', { name: /^Add a comment/ }).click()
  const field = page.getByRole('textbox', { name: 'Comment' })
  const send = page.getByRole('button', { name: 'Send', exact: true })
  const readComments = async () => {
    const path = `GET /api/v1/tasks/${task.id}/comments`
    const data = await list<{ body: string }>(path)
    return data.map(({ body }) => body)
  }
  const pasteInField = (...names: string[]) =>
    field.evaluate((area, called) => {
      const clipboardData = new DataTransfer()
      for (const name of called)
        clipboardData.items.add(new File(['bytes'], name, { type: 'text/plain' }))
      area.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    }, names)
  const uploadUrl = `**/api/v1/tasks/${task.id}/attachments?*`
  const release = await holdRequests(page, uploadUrl)
  // Files are pasted into an element, which the editor would replace once it has loaded.
  await expect(field).toHaveClass(/cm-content/)
  await field.fill('See ')
  await pasteInField('shot.txt')
  await expectWritten(field, 'See [Uploading shot.txt …]()')
  await field.press('ControlOrMeta+Enter')
  await expect(send).toHaveAttribute('aria-busy', 'true')
  release()
  await expect(field).toBeHidden()
  await expect.poll(readComments).toHaveLength(1)
  assert.match(
    (await readComments())[0] ?? '',
    /^See \[shot\.txt\]\(\/api\/v1\/attachments\/[^)]+\)$/,
  )
  await page.unroute(uploadUrl)

  // After a failed upload the text is not sent without the file, unless it is submitted again.
  const failing = Promise.withResolvers<void>()
  await routeRequests(page, uploadUrl, async (route) => {
    await failing.promise
    await (route.request().url().includes('again.txt') ? refuseRequest(route) : route.continue())
  })
  await page.getByRole('button', { name: /^Add a comment/ }).click()
  await field.fill('And ')
  await pasteInField('again.txt', 'fine.txt')
  await field.press('ControlOrMeta+Enter')
  await expect(send).toHaveAttribute('aria-busy', 'true')
  failing.resolve()
  await expect(page.getByText('A file was not uploaded.')).toBeVisible()
  await expectWritten(field, /^And \[fine\.txt\]\(/)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('m')
  await expect(field).toBeFocused()
  await field.press('ControlOrMeta+Enter')
  await expect.poll(async () => (await readComments()).at(1)).toMatch(/^And \[fine\.txt\]\(/)
})
