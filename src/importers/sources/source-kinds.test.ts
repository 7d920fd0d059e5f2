import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectSourceKind } from './source-kinds.ts'

const detectKind = async (content: Buffer) => {
  const { kind } = await detectSourceKind({
    filename: 'File.csv',
    size: content.length,
    async *bytes(start = 0, end = content.length) {
      yield content.subarray(start, end)
    },
  })
  return kind
}

test('recognizes a CSV export by its columns, however long its first cells are', async () => {
  const headers = {
    jira: 'Issue key,Issue id,Summary,Description',
    linear: 'ID,Team,Title,Cycle Number',
    todoist: 'TYPE,CONTENT,INDENT,AUTHOR',
    ticktick: '"Version: 7.1"\nList Name,Title,Is Check list,taskId',
    csv: 'Key,Id,Summary,Description',
  }
  const plan = 'Title,Type,Content,Priority'
  for (const [kind, header] of [...Object.entries(headers), ['csv', plan] as const]) {
    for (const length of [1, 70_000]) {
      const row = `K-1,1,One,"${'x\n'.repeat(length / 2)}"`
      const text = [header, row, row].join('\r\n')
      assert.equal(await detectKind(Buffer.from(text)), kind)
      assert.equal(await detectKind(Buffer.from(`\ufeff${text}`, 'utf16le')), kind)
    }
  }
})
