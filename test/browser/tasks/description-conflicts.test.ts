import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { blockLiveUpdates } from '../support/reads/hold-reads.ts'
import { seedTasks } from '../support/seed.ts'
import { expectWritten } from '../support/written-text.ts'

const BASE = 'First\nSecond\nThird\n\nFourth'

/** Opens a task in the editor of its description; the page does not hear of the changes of others. */
async function openDescription({ as, ask, team, allow }: BrowserFixture) {
  allow(412, /ERR_FAILED/)
  const [task] = await seedTasks({ ask, team }, 1, () => ({ title: 'One', description: BASE }))
  assert.ok(task)
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByText('Second').waitFor()
  await page.keyboard.press('Shift+E')
  return { page, id: task.id, editor: page.getByLabel('Description', { exact: true }) }
}

browserTest('merges two edits of a description by line and loses neither', async (fixture) => {
  const { ask } = fixture
  const { page, id, editor } = await openDescription(fixture)
  await editor.fill(BASE.replace('First', 'First of mine').replace('Third', 'Third of mine'))
  const theirs = BASE.replace('Fourth', 'Fourth of theirs').replace('Third', 'Third of theirs')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: theirs })
  await page.keyboard.press('ControlOrMeta+Enter')
  const conflict = page
    .getByRole('alert')
    .filter({ hasText: 'The owner also changed “Description”' })
  await expect(conflict).toContainText('You both edited the same place')
  const merged = conflict.getByRole('textbox')
  await expect(merged).toHaveValue(
    'First of mine\nSecond\nThird of mine\nThird of theirs\n\nFourth of theirs',
  )
  await assertAccessible(page)
  await merged.fill('First of mine\nSecond\nThird of both\nFourth of theirs')
  // Looking at another screen loses nothing of it.
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await expect(conflict).toBeHidden()
  await page.goBack()
  await expect(merged).toHaveValue('First of mine\nSecond\nThird of both\nFourth of theirs')
  // What they add meanwhile is merged with it, even if the browser cannot store that.
  await page.addInitScript(() => {
    const { setItem } = Storage.prototype
    Storage.prototype.setItem = function (key, value) {
      if (key.startsWith('docket.draft.')) throw new DOMException('Full', 'QuotaExceededError')
      setItem.call(this, key, value)
    }
  })
  const more = `${theirs}\nFifth of theirs`
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: more })
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  const both = 'First of mine\nSecond\nThird of both\nFourth of theirs'
  await expect(merged).toHaveValue(`${both}\nFifth of theirs`)
  await conflict.getByRole('button', { name: 'Save merged version' }).press('ControlOrMeta+Enter')
  await expect(conflict).toBeHidden()
  await page.getByText('Third of both').waitFor()
  type Saved = Record<'description' | 'status_category', string>
  const saved = () => ask<Saved>('owner', `GET /api/v1/tasks/${id}`)
  await expect.poll(async () => (await saved()).description).toBe(`${both}\nFifth of theirs`)
  assert.equal((await saved()).status_category, 'unstarted')
})

browserTest(
  'keeps a draft over a reload, and merges it against the version it started from',
  async (fixture) => {
    const { ask } = fixture
    const { page, id, editor } = await openDescription(fixture)
    await editor.fill(`${BASE}\nFifth`)
    await page.keyboard.press('Escape')
    await page.getByText('Add a comment. Use @ to mention someone').click()
    await page.getByLabel('Comment', { exact: true }).fill('Half a thought')
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: BASE.replace('First', '1st') })
    await page.reload()
    await expectWritten(page.getByLabel('Comment', { exact: true }), 'Half a thought')
    await expectWritten(editor, `${BASE}\nFifth`)
    await editor.press('ControlOrMeta+Enter')
    const conflict = page
      .getByRole('alert')
      .filter({ hasText: 'The owner also changed “Description”' })
    await expect(conflict.getByRole('textbox')).toHaveValue('1st\nSecond\nThird\n\nFourth\nFifth')
    await conflict.getByRole('button', { name: 'Use theirs' }).click()
    await page.getByText('1st').waitFor()

    // Without the draft, editing goes on from the text of now.
    await page.keyboard.press('Shift+E')
    await editor.fill('Half a description')
    await page.keyboard.press('Escape')
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Two', description: 'Text of now' })
    await page.reload()
    await expectWritten(editor, 'Half a description')
    // A page that opens from its copies would go on from the text of then.
    await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor()
    const description = page.locator('.description')
    await description.getByRole('button', { name: 'Discard draft' }).click()
    await expectWritten(editor, 'Text of now')
    await expect(editor).toBeFocused()
  },
)
