import {
  ColumnNode,
  ColumnUpdateNode,
  type InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  type PrimitiveValueListNode,
  sql,
  TableNode,
  type UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import { TABLES } from '../schema/tables.ts'

const COLUMN = 'change_number'

/** The tables whose rows are records of the feed of changes. */
const RECORD_TABLES = TABLES.filter(([, { numbered }]) => numbered)

/** The columns of each that change without an entry in the feed (docs/spec/api.md#changes). */
const UNNUMBERED_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  RECORD_TABLES.map(([table, { unnumbered = [] }]) => [table, unnumbered]),
)

const TABLES_WITH_TOMBSTONES = TABLES.flatMap(([table, { numbered, leavesTombstones }]) =>
  numbered || leavesTombstones ? [table] : [],
)

/** Statements that change who sees what, or leave tombstones. */
const LEAVES_TOMBSTONES = new RegExp(
  `^delete from "(${TABLES_WITH_TOMBSTONES.join('|')})"|^insert into "tombstones"`,
)

/** Whether the workspace needs a new change number after this statement. */
export const changesRecords = (text: string): boolean =>
  text.includes(`"${COLUMN}"`) || LEAVES_TOMBSTONES.test(text)

/** The number of the running write, which the commit makes the newest of the workspace. */
export const nextChangeNumber = ({ workspace_id }: { workspace_id: unknown }) =>
  sql<number>`(select last_change_number + 1 from workspaces where workspaces.id = ${workspace_id})`

/**
 * Gives each row that a statement inserts or changes the number of the write, so that no operation can
 * forget it. `workspace_id` is the value to bind.
 */
export function numberChanges(workspace_id: unknown): KyselyPlugin {
  const number = nextChangeNumber({ workspace_id }).toOperationNode()
  return {
    transformQuery({ node }) {
      if (node.kind === 'UpdateQueryNode') return numberUpdate(node, number)
      if (node.kind === 'InsertQueryNode') return numberInsert(node, number)
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

/** The unnumbered columns of a table of records; undefined for any other table. */
const unnumberedColumnsOf = (node: OperationNode | undefined) =>
  node !== undefined && TableNode.is(node)
    ? UNNUMBERED_COLUMNS.get(node.table.identifier.name)
    : undefined

const nameOf = (column: OperationNode): string => (ColumnNode.is(column) ? column.column.name : '')

function numberUpdate(node: UpdateQueryNode, number: OperationNode): UpdateQueryNode {
  const { updates = [] } = node
  const unnumbered = unnumberedColumnsOf(node.table)
  if (!unnumbered || updates.every(({ column }) => unnumbered.includes(nameOf(column)))) return node
  return { ...node, updates: [...updates, numberUpdateOf(number)] }
}

const numberUpdateOf = (number: OperationNode) =>
  ColumnUpdateNode.create(ColumnNode.create(COLUMN), number)

function numberInsert(node: InsertQueryNode, number: OperationNode): InsertQueryNode {
  if (!unnumberedColumnsOf(node.into)) return node
  const { columns = [], values, onConflict } = node
  if (!values || !ValuesNode.is(values))
    throw new Error('Rows of records are inserted by values, which get a change number')
  return {
    ...node,
    columns: [...columns, ColumnNode.create(COLUMN)],
    values: ValuesNode.create(values.values.map((row) => withNumber(row, number))),
    ...(onConflict?.updates && {
      onConflict: { ...onConflict, updates: [...onConflict.updates, numberUpdateOf(number)] },
    }),
  }
}

const withNumber = (row: ValueListNode | PrimitiveValueListNode, number: OperationNode) =>
  ValueListNode.create([
    ...('kind' in row && row.kind === 'ValueListNode'
      ? row.values
      : row.values.map((value) => ValueNode.create(value))),
    number,
  ])
