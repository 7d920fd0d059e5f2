import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo, pressUndo } from '../support/keyboard/press-undo.ts'
import { seedTasks } from '../support/seed.ts'

const TYPED = '1h 2026-03-01 Call with everybody'

browserTest('keeps what is typed into a time entry until it is saved', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(412)
  const [task] = await seedTasks(fixture, 1)
  const body = { duration_seconds: 3_600, spent_on: '2026-03-01', note: 'Call' }
  const { id } = await ask<{ id: string }>(
    'member',
    `POST /api/v1/tasks/${task?.id}/time-entries`,
    body,
  )
  const readNote = async () =>
    (await ask<{ note: string }>('member', `GET /api/v1/time-entries/${id}`)).note
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const edit = page.getByRole('button', { name: /^Edit 1h/ })
  const field = page.getByRole('textbox', { name: /^Edit 1h/ })
  await edit.click()
  await field.fill(TYPED)
  await field.press('Escape')
  await expect(edit).toBeFocused()
  await edit.click()
  await expect(field).toHaveValue(TYPED)
  // The cancel button discards it, which can be undone.
  await page.getByRole('button', { name: 'Cancel' }).click()
  await holdUndo(page)
  // By keys, since the pointer keeps the message.
  await edit.press('Enter')
  await expect(field).toHaveValue('1h 2026-03-01 Call')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await pressUndo(page)
  await expect(page.getByRole('button', { name: /^Undo/ })).toHaveCount(0)
  await page.reload()
  await ask('member', `PATCH /api/v1/time-entries/${id}`, { note: 'Call with Mei' })
  await expect(page.getByText('Call with Mei', { exact: true })).toBeVisible()
  await edit.click()
  await expect(field).toHaveValue(TYPED)
  // It was typed over the earlier note, so that the later one is not replaced unasked.
  await field.press('Enter')
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  expect(await readNote()).toBe('Call with Mei')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(readNote).toBe('Call with everybody')
  await edit.click()
  await expect(field).toHaveValue(TYPED)
})
