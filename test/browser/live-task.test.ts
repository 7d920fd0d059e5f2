import assert from 'node:assert/strict'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

browse(
  'what others do to a task appears, and nothing is lost while the line is cut',
  { alone: true },
  async (scene) => {
    const { as, team, ask, docket, allow } = scene
    allow(/ERR_|net::/)
    const [task] = await seedTasks(scene, 1, () => ({ title: 'One' }))
    assert.ok(task)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    const title = (name: string) => page.getByRole('heading', { level: 1, name })
    const said = (text: string) => page.locator('.said').getByText(text)
    const say = (body: string) => ask('owner', `POST /api/v1/tasks/${task.id}/comments`, { body })
    const call = (name: string) => ask('owner', `PATCH /api/v1/tasks/${task.id}`, { title: name })
    await title('One').waitFor()

    // While something is being written, the focus stays, and so does the place that is read.
    await page.getByRole('button', { name: 'Comment, or @someone' }).click()
    const box = page.getByLabel('Comment', { exact: true })
    await box.fill('Half')
    const scroll = page.locator('.task-frame > .scroll')
    await scroll.evaluate((element) => element.scrollTo(0, 60))
    const before = await scroll.evaluate((element) => element.scrollTop)
    await call('Two')
    await say('Seen live')
    await expect(title('Two')).toBeVisible({ timeout: 2_000 })
    await expect(said('Seen live')).toBeVisible({ timeout: 2_000 })
    await expect(box).toBeFocused()
    await expect(box).toHaveValue('Half')
    assert.equal(await scroll.evaluate((element) => element.scrollTop), before)

    // The network goes and comes.
    await page.context().setOffline(true)
    await call('Three')
    await say('Said meanwhile')
    await page.context().setOffline(false)
    await expect(title('Three')).toBeVisible({ timeout: 20_000 })
    await expect(said('Said meanwhile')).toBeVisible({ timeout: 5_000 })

    // The server goes and comes: it knows nothing of what was told before.
    await docket.stop()
    await docket.start()
    await call('Four')
    await say('Said after')
    await expect(title('Four')).toBeVisible({ timeout: 20_000 })
    await expect(said('Said after')).toBeVisible({ timeout: 5_000 })
    await expect(box).toHaveValue('Half')
  },
)
