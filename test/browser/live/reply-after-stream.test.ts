import { browserTest, expect } from '../support/browser-test.ts'
import { holdReplies, holdRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const TEXT = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') }

// What only a record of the server has, such as a button to edit it, shows that the stream has brought it.
browserTest(
  'shows a new comment, time entry, file and task once when the stream brings it before the reply',
  async (fixture) => {
    const { openAs } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
    const address = `/api/v1/tasks/${task?.id}`
    const page = await openAs('member', `t/${task?.short_id}`)
    await page.getByRole('heading', { level: 1 }).waitFor()

    const held = [
      await holdReplies(page, `**${address}/comments`),
      await holdReplies(page, `**${address}/time-entries`),
      await holdReplies(page, `**${address}/attachments?*`, TEXT.buffer),
      await holdReplies(page, '**/api/v1/tasks'),
    ]
    const itemsOf = (section: string) =>
      page.getByRole('region', { name: section }).getByRole('listitem')
    const expectOneOfEach = async () => {
      await expect(page.getByRole('button', { name: 'More actions for comment' })).toHaveCount(1)
      await expect(page.getByText('Only one remark', { exact: true })).toHaveCount(1)
      await expect(page.getByRole('button', { name: /^Edit 1h/ })).toHaveCount(1)
      await expect(itemsOf('Time')).toHaveCount(1)
      await expect(page.getByRole('link', { name: TEXT.name })).toHaveCount(1)
      await expect(itemsOf('Attachments')).toHaveCount(1)
      await expect(page.getByRole('link', { name: 'ENG-2' })).toHaveCount(1)
      await expect(itemsOf('Subtasks')).toHaveCount(1)
    }
    await page.getByRole('button', { name: 'Add subtask' }).click()
    await page.getByRole('textbox', { name: 'Subtask title' }).fill('Two')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Log time' }).click()
    const field = page.getByRole('textbox', { name: 'Log time' })
    await field.fill('1h review')
    await field.press('Enter')
    await page.locator('input[type=file]').setInputFiles(TEXT)
    await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).click()
    await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('Only one remark')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expectOneOfEach()

    // The next page has read the records before it finds the writes and sends them once more.
    page.on('dialog', (dialog) => dialog.accept())
    const findWrites = await holdRequests(page, /mutation-engine[^/]*\.js/)
    await page.reload()
    await expectOneOfEach()
    const isSent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/api/v1/tasks'),
    )
    findWrites()
    await isSent
    await expectOneOfEach()
    for (const release of held) release()
    await expect.poll(() => countStoredMutations(page)).toBe(0)
    await expectOneOfEach()
  },
)
