import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

const MOST = 200_000
/** A red point. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const SCRIPT = '<script>window.__harmed=1</script>'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__harmed=1">${SCRIPT}</svg>`

const file = (name: string, mimeType: string, content: Buffer | string) => ({
  ...{ name, mimeType, buffer: Buffer.from(content) },
})

browse(
  'files go up, are refused before they do, are stopped, and do no harm',
  { env: { DOCKET_MAX_ATTACHMENT_BYTES: String(MOST) } },
  async (scene) => {
    const { as, team, ask, allow } = scene
    const [task] = await seedTasks(scene, 1)
    assert.ok(task)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    const files = page.getByRole('region', { name: 'Files' })
    await expect(files.getByText('up to 195 kB each')).toBeVisible()
    const input = files.locator('input[type=file]')
    const names = async () => {
      const path = `GET /api/v1/tasks/${task.id}/attachments`
      const { data } = await ask<{ data: { filename: string }[] }>('owner', path)
      return data.map(({ filename }) => filename)
    }

    // Too large, and empty: told before a byte is sent.
    await input.setInputFiles([
      file('much.bin', '', Buffer.alloc(MOST + 1)),
      file('no.txt', '', ''),
    ])
    await expect(page.getByText('“much.bin” has 195 kB; a file can have')).toBeVisible()
    await expect(page.getByText('“no.txt” is empty.')).toBeVisible()
    assert.deepEqual(await names(), [])

    // Stopped on its way, then the server fails once and it is sent again.
    allow(/ERR_FAILED|net::/)
    const place = `**/api/v1/tasks/${task.id}/attachments?*`
    await page.route(place, () => undefined)
    await input.setInputFiles(file('slow.bin', 'application/octet-stream', Buffer.alloc(1_000)))
    await expect(files.getByRole('progressbar')).toBeVisible()
    const stopped = page.waitForEvent('requestfailed')
    await files.getByRole('button', { name: 'Stop sending slow.bin' }).click()
    await expect(files.getByText('slow.bin')).toBeHidden()
    // What is held back and not stopped yet would go on.
    await stopped
    await page.unroute(place)
    await page.route(place, (route) => route.abort(), { times: 1 })
    await input.setInputFiles(file('again.txt', 'text/plain', 'again'))
    await files.getByRole('button', { name: 'Retry' }).click()
    await expect(files.getByRole('link', { name: 'again.txt' })).toBeVisible()
    assert.deepEqual(await names(), ['again.txt'])

    // Of these only one is a picture, whatever they call themselves.
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
    await accessible(page)
    await files.getByRole('button', { name: 'Preview of point.png' }).click()
    await expect(page.getByRole('dialog').getByRole('img', { name: 'point.png' })).toBeVisible()
    await page.keyboard.press('Escape')

    // What is opened is downloaded, not shown.
    for (const name of [hostile, 'page.html']) {
      const downloading = page.waitForEvent('download')
      await files.getByRole('link', { name }).click()
      const download = await downloading
      assert.equal(await download.failure(), null)
    }
    assert.equal(await harmed(page), false)

    // Dropped into the text, and pasted outside of it; deleted with a way back.
    await pasted(page, 'pasted.txt')
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

const harmed = (page: Page) => page.evaluate(() => '__harmed' in window)

/** A file in the clipboard, pasted where no field has the focus. */
const pasted = (page: Page, name: string) =>
  page.evaluate((called) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['from the clipboard'], called, { type: 'text/plain' }))
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.querySelector('.task-frame > .scroll')?.dispatchEvent(event)
  }, name)
