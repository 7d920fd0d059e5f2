import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { expectWritten, press } from '../support/page-actions.ts'
import { holdRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

const RICH_TEXT_CODE = '**/assets/rich-text-field-*.js'

/** Opens the description of a new task for writing. */
async function openDescription(fixture: BrowserFixture, description: string) {
  const { openAs, ask } = fixture
  const [task, other] = await seedTasks(fixture, 2, (n) => ({
    title: n === 0 ? 'Ship the importer' : 'Write the format down',
    description: n === 0 ? description : '',
  }))
  assert.ok(task && other)
  const page = await openAs('member', `t/${task.short_id}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const field = page.getByRole('textbox', { name: 'Description', exact: true })
  const read = async () => {
    const path = `GET /api/v1/tasks/${task.id}`
    return (await ask<{ description: string }>('owner', path)).description
  }
  const write = async () => {
    await page.keyboard.press('Shift+E')
    await expect(page.locator('.cm-content')).toBeFocused()
  }
  return { page, field, read, write, task, other }
}

const paste = (field: Locator, data: Record<string, string>, file?: string) =>
  field.evaluate(
    (element, { data, file }) => {
      const clipboardData = new DataTransfer()
      for (const [type, text] of Object.entries(data)) clipboardData.setData(type, text)
      if (file !== undefined) {
        const bytes = Uint8Array.fromBase64(file)
        clipboardData.items.add(new File([bytes], 'shot.png', { type: 'image/png' }))
      }
      const init = { clipboardData, bubbles: true, cancelable: true }
      element.dispatchEvent(new ClipboardEvent('paste', init))
    },
    { data, file },
  )

const options = (page: Page, name: string) =>
  page.getByRole('listbox', { name }).getByRole('option')

browserTest('keeps the bytes of what nobody touches in a description', async (fixture) => {
  const source = [
    '*   wide bullets  ',
    '+ others\t',
    'a line end of Windows\r',
    '1) numbers',
    '\\* __strong__ &amp; @The owner',
    '| a|b |',
    '|-|:-:|',
    '|1|2|',
    '',
    '',
    'word',
    '',
  ].join('\n')
  const { page, field, read, write } = await openDescription(fixture, source)
  await write()
  await press(page, 'ControlOrMeta+End', 'ArrowUp', 'End')
  await page.keyboard.type('s for @The owner.')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(field).toHaveCount(0)
  const { owner } = fixture.team.people
  await expect.poll(read).toBe(source.replace('\nword\n', `\nwords for <@${owner.id}>.\n`))
})

browserTest('inserts blocks, people and tasks by keyboard', async (fixture) => {
  const { page, field, read, write, other } = await openDescription(fixture, '')
  await write()
  await page.keyboard.type('/')
  await expect(options(page, 'Insert').first()).toBeVisible()
  await page.keyboard.type('todo')
  await expect(options(page, 'Insert')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await page.keyboard.type('ask @The ow')
  await expect(options(page, 'People')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(field.locator('.mention')).toHaveText('@The owner')
  await page.keyboard.type('about #format')
  await expect(options(page, 'Tasks')).toContainText(['Write the format down'])
  await expect(options(page, 'Tasks').first()).toBeVisible()
  await page.keyboard.press('Enter')
  // Enter goes on with the list; a name in the text is one step for the caret and for Backspace.
  await page.keyboard.press('Enter')
  await page.keyboard.type('@The ow')
  await options(page, 'People').first().click()
  await press(page, 'Backspace', 'Backspace')
  await page.keyboard.type('two')
  const { owner } = fixture.team.people
  const written = `- [ ] ask <@${owner.id}> about ${other.short_id} \n- [ ] two`
  await expectWritten(field, written)

  // Escape closes the list before the editor, and a slash within a text stays one.
  await press(page, 'Enter', 'Enter')
  await page.keyboard.type('/')
  await expect(options(page, 'Insert').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(options(page, 'Insert')).toHaveCount(0)
  await page.keyboard.press('Backspace')
  await page.keyboard.type('and/or /table')
  await page.keyboard.press('Enter')
  await expectWritten(field, /\nand\/or \n\n\| +\| {2}\|\n\| --- \| --- \|\n\| {2}\| {2}\|$/)
  await page.keyboard.press('ControlOrMeta+z')
  await expectWritten(field, /\nand\/or \/table$/)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(read).toContain(written)
})

browserTest('shows what is written as it will be read, apart from the caret', async (fixture) => {
  const source = [
    '# Plan',
    'Some **bold** words',
    '',
    '- [ ] buy bread',
    '- [x] sell milk',
    '',
    '| Name | Size |',
    '|------|-----:|',
    '| disk | 2 |',
    '',
    'שלום **עולם**',
  ].join('\n')
  const { page, field, read, write } = await openDescription(fixture, source)
  const code: string[] = []
  page.on('request', (request) => code.push(request.url()))
  await page.getByRole('checkbox', { name: 'buy bread' }).waitFor()
  // Nobody who only reads loads the editor.
  assert.ok(!code.some((url) => url.includes('rich-text')))
  await write()
  await expect(field).toHaveAttribute('aria-multiline', 'true')
  const lines = field.locator('.cm-line')
  await expect(lines.nth(0)).toHaveText('# Plan')
  await expect(lines.nth(1)).toHaveText('Some bold words')
  await page.keyboard.press('ArrowDown')
  await expect(lines.nth(0)).toHaveText('Plan')
  await expect(field.getByRole('cell', { name: '2' })).toHaveCSS('text-align', 'right')
  await expect(lines.last()).toHaveCSS('direction', 'rtl')
  await field.getByRole('checkbox', { name: 'buy bread' }).click()
  await field.getByRole('checkbox', { name: 'sell milk' }).click()
  const toggled = source.replace('[ ]', '[y]').replace('[x]', '[ ]').replace('[y]', '[x]')
  await expectWritten(field, toggled)
  await assertAccessible(page)
  // A press on the table leads to its source.
  await field.getByRole('cell', { name: 'disk' }).click()
  await expect(field.getByRole('table')).toHaveCount(0)
  await expect(field).toContainText('|------|-----:|')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(read).toBe(toggled)
})

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

browserTest('pastes images, web pages and texts of Word in place', async (fixture) => {
  const { page, field, read, write } = await openDescription(fixture, 'Before')
  await write()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type(' ')
  await paste(field, {}, PNG)
  await expect(field.getByRole('img', { name: 'shot.png' })).toBeVisible()
  await press(page, 'Enter', 'Enter')
  await paste(field, {
    'text/html':
      '<meta charset="utf-8"><p>See <a href="https://a.example/">this</a> <b>now</b></p>',
    'text/plain': 'See this now',
  })
  await page.keyboard.type(':')
  const item = (text: string) =>
    `<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp; </span></span><![endif]>${text}<o:p></o:p></p>`
  await paste(field, {
    'text/html': `<html><head><style>p.MsoNormal{margin:0}</style></head><body>${item('Bread')}${item('Milk')}</body></html>`,
    'text/plain': '·  Bread\r\n·  Milk',
  })
  await expect(field).not.toContainText('·')
  await page.keyboard.press('Enter')
  // An address over a word makes it a link.
  await page.keyboard.type('guide')
  for (let at = 0; at < 5; at += 1) await page.keyboard.press('Shift+ArrowLeft')
  await paste(field, { 'text/plain': 'https://b.example/x' })
  await page.keyboard.press('Enter')
  // What an editor of code copies is Markdown already.
  await paste(field, {
    'text/html': '<div style="font-family: monospace"><div><span># *Title*</span></div></div>',
    'text/plain': 'x *y*',
  })
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect
    .poll(read)
    .toMatch(
      /^Before !\[shot\.png\]\(\/api\/v1\/attachments\/att_\w+\/content\)\n\nSee \[this\]\(https:\/\/a\.example\/\) \*\*now\*\*:\n\n- Bread\n- Milk\n- \[guide\]\(https:\/\/b\.example\/x\)\n- x \*y\*$/,
    )

  // A copy of a description is pasted as its source.
  const source = await read()
  await page.evaluate(() => {
    const prose = document.querySelector('.prose')
    const second = prose?.children[1]
    if (second) getSelection()?.setBaseAndExtent(second, 0, prose, prose.childNodes.length)
  })
  await page.keyboard.press('ControlOrMeta+c')
  await write()
  await press(page, 'ControlOrMeta+a', 'Delete')
  await expectWritten(field, '')
  await page.keyboard.press('ControlOrMeta+v')
  await expectWritten(field, source.slice(source.indexOf('See')))
})

browserTest('takes what is typed while the code of the editor arrives', async (fixture) => {
  fixture.allow(/ERR_FAILED|dynamically imported/)
  const { page, field, read } = await openDescription(fixture, 'Old')
  await page.route(RICH_TEXT_CODE, (route) => route.abort())
  await page.keyboard.press('Shift+E')
  await expect(field).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Typed without a network')
  await page.keyboard.press('Escape')
  await page.unroute(RICH_TEXT_CODE)
  const loadCode = await holdRequests(page, RICH_TEXT_CODE)
  await page.reload()
  await expectWritten(field, 'Typed without a network')
  await field.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('!!')
  await page.keyboard.press('ArrowLeft')
  loadCode()
  await expect(page.locator('.cm-content')).toBeFocused()
  await page.keyboard.type('?')
  await expectWritten(field, 'Typed without a network!?!')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(read).toBe('Typed without a network!?!')
})
