import { useState } from 'react'
import { m } from '../../../messages/tasks.ts'
import { Button } from '../../../ui/button.tsx'
import { openDialog } from '../../../ui/dialog.tsx'

/** Asks how many tasks a column should have at most. */
export const askLimit = (
  column: string,
  limit: number | undefined,
  onLimit: (limit: number | undefined) => void,
): (() => void) =>
  openDialog({
    title: m.limitTitle(column),
    body: (close) => (
      <Limit
        limit={limit}
        onSave={(next) => {
          onLimit(next)
          close()
        }}
      />
    ),
  })

function Limit({
  limit,
  onSave,
}: {
  limit: number | undefined
  onSave: (limit: number | undefined) => void
}) {
  const [typed, type] = useState(limit === undefined ? '' : String(limit))
  const wanted = Number.parseInt(typed, 10)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave(wanted > 0 ? wanted : undefined)
      }}
    >
      <p className="dialog-text">{m.limitText}</p>
      <label className="typed">
        {m.limitLabel}
        <input
          className="field"
          type="number"
          min={1}
          max={9_999}
          // biome-ignore lint/a11y/noAutofocus: the dialog is for nothing else
          autoFocus
          value={typed}
          onChange={({ target }) => type(target.value)}
        />
      </label>
      <div className="acts dialog-acts">
        <Button kind="primary" type="submit">
          {m.save}
        </Button>
        <Button kind="plain" onClick={() => onSave(undefined)}>
          {m.noLimit}
        </Button>
      </div>
    </form>
  )
}
