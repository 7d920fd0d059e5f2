import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

/** A page of a task in which a comment is being written, and what another does to the task. */
async function writing(scene: Scene) {
  const { as, team, ask } = scene
  const [task] = await seedTasks(scene, 1, () => ({ title: 'One' }))
  assert.ok(task)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await titled(page, 'One').waitFor()
  await page.getByRole('button', { name: 'Comment, or @someone' }).click()
  const box = page.getByLabel('Comment', { exact: true })
  await box.fill('Half')
  return {
    page,
    box,
    rename: (title: string) => ask('owner', `PATCH /api/v1/tasks/${task.id}`, { title }),
    say: (body: string) => ask('owner', `POST /api/v1/tasks/${task.id}/comments`, { body }),
  }
}

const titled = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const said = (page: Page, text: string) => page.locator('.said').getByText(text)

browse('shows another user’s changes without moving what is read or the focus', async (scene) => {
  const { page, box, rename, say } = await writing(scene)
  const scroll = page.locator('.task-frame > .scroll')
  await scroll.evaluate((element) => element.scrollTo(0, 60))
  const before = await scroll.evaluate((element) => element.scrollTop)
  await rename('Two')
  await say('Seen live')
  await expect(titled(page, 'Two')).toBeVisible()
  await expect(said(page, 'Seen live')).toBeVisible()
  await expect(box).toBeFocused()
  await expect(box).toHaveValue('Half')
  assert.equal(await scroll.evaluate((element) => element.scrollTop), before)
})

browse('a task catches up with what happened while the browser was offline', async (scene) => {
  scene.allow(/ERR_|net::/)
  const { page, box, rename, say } = await writing(scene)
  await page.context().setOffline(true)
  await rename('Three')
  await say('Said meanwhile')
  await page.context().setOffline(false)
  await expect(titled(page, 'Three')).toBeVisible()
  await expect(said(page, 'Said meanwhile')).toBeVisible()
  await expect(box).toHaveValue('Half')
})

browse('a task catches up with a server that was started again', { alone: true }, async (scene) => {
  scene.allow(/ERR_|net::/)
  const { page, box, rename, say } = await writing(scene)
  await scene.docket.stop()
  await scene.docket.start()
  await rename('Four')
  await say('Said after')
  await expect(titled(page, 'Four')).toBeVisible()
  await expect(said(page, 'Said after')).toBeVisible()
  await expect(box).toHaveValue('Half')
})
