import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InlineMark, toggleMark } from './toggle-mark.ts'

/** Toggles a mark of the text between two bars, or of all of it, and returns the text with its selection. */
function toggle(marked: string, mark: InlineMark): string {
  const [before = '', selected, after = ''] = marked.split('¦')
  const text = marked.replaceAll('¦', '')
  const [start, end] =
    selected === undefined ? [0, text.length] : [before.length, text.length - after.length]
  const { from, to, insert, select } = toggleMark(text, start, end, mark)
  const result = text.slice(0, from) + insert + text.slice(to)
  const shown = `${result.slice(0, select[0])}¦${result.slice(select[0], select[1])}¦${result.slice(select[1])}`
  return selected === undefined ? result : shown
}

test('a mark hugs the words of the selection and is taken off when it is put again', () => {
  const cases: [text: string, mark: InlineMark, result: string][] = [
    ['make this ¦word ¦bold now', '**', 'make this **¦word¦** bold now'],
    ['make this¦ word ¦bold now', '_', 'make this _¦word¦_ bold now'],
    ['a ¦one\n\ntwo¦ b', '_', 'a ¦_one_\n\n_two_¦ b'],
    ['it is 你好¦“世界”¦吧', '**', 'it is 你好“**¦世界¦**”吧'],
    ['w¦or¦d', '_', 'w*¦or¦*d'],
    ['`a ¦b¦ c`', '**', '**¦`a b c`¦**'],
    ['¦a `b` c¦', '`', '`¦a b c¦`'],
    ['a ¦` b¦', '`', 'a `` ¦` b¦ ``'],
    ['*¦word¦*', '**', '**¦*word*¦**'],
  ]
  for (const [text, mark, result] of cases) {
    assert.equal(toggle(text, mark), result)
    const again = toggle(result, mark).replaceAll('¦', '')
    assert.equal(toggle(toggle(result, mark), mark), result, again)
  }
})

test('a mark is put line by line, within the marks of lists, quotes, headings and tables', () => {
  const cases: [text: string, result: string][] = [
    ['- one\n- two', '- **one**\n- **two**'],
    ['one\n\ntwo', '**one**\n\n**two**'],
    ['1. one\n   - [ ] two\n   - [x] three', '1. **one**\n   - [ ] **two**\n   - [x] **three**'],
    ['> one\n> > two\n>\n> 2) three', '> **one**\n> > **two**\n>\n> 2) **three**'],
    ['# Title\n\n## Other ##\nSetext\n---', '# **Title**\n\n## **Other** ##\n**Setext**\n---'],
    ['one\\\ntwo  \nthree', '**one**\\\n**two**  \n**three**'],
    ['| a | b\\|c |\n|---|:-:|\n| 1 |  |', '| **a** | **b\\|c** |\n|---|:-:|\n| **1** |  |'],
    [
      'one\n\n```js\ntwo\n```\n\n    three\n\n***\nfour',
      '**one**\n\n```js\ntwo\n```\n\n    three\n\n***\n**four**',
    ],
    ['- **one**\n- two', '- **one**\n- **two**'],
    ['**one** and **two**', '**one and two**'],
    ['a **b** `**c**` ***d***', '**a b `**c**` *d***'],
  ]
  for (const [text, result] of cases) {
    assert.equal(toggle(text, '**'), result)
    const off = text.replaceAll(/\*\*(?!`|c)/g, '')
    if (!text.includes('***')) assert.equal(toggle(result, '**'), off, result)
  }
})

test('a mark is taken off wherever it stands: inside or around the selection, beside others', () => {
  const cases: [text: string, mark: InlineMark, result: string][] = [
    ['**word**', '**', 'word'],
    ['a **¦word¦** b', '**', 'a ¦word¦ b'],
    ['¦**word**¦', '**', '¦word¦'],
    ['__word__', '**', 'word'],
    ['*word*', '_', 'word'],
    ['***word***', '**', '*word*'],
    ['***word***', '_', '**word**'],
    ['**_word_**', '_', '**word**'],
    ['**~~¦word¦~~**', '**', '¦~~word~~¦'],
    ['*a **b** c*', '_', 'a **b** c'],
    ['`` a`b ``', '`', 'a`b'],
    ['`a ¦b¦ c`', '`', '¦a b c¦'],
  ]
  for (const [text, mark, result] of cases) assert.equal(toggle(text, mark), result, text)
})

test('leaves code and texts without words as they are', () => {
  for (const text of ['```\na\n```', '    a', '---', '  \n '])
    assert.equal(toggle(text, '**'), text)
  assert.deepEqual(toggleMark('a b', 2, 2, '**'), {
    from: 2,
    to: 2,
    insert: '****',
    select: [4, 4],
  })
  assert.deepEqual(toggleMark('a ****b', 4, 4, '**'), {
    from: 2,
    to: 6,
    insert: '',
    select: [2, 2],
  })
})
