import { useState } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { Button } from '../../../ui/form/button.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'

/** Opens a dialog for the task limit of a column. */
export const openColumnLimitDialog = (
  column: string,
  limit: number | undefined,
  onLimit: (limit: number | undefined) => void,
): (() => void) =>
  openDialog({
    title: viewMessages.limitTitle(column),
    body: (close) => (
      <LimitForm
        limit={limit}
        onSave={(next) => {
          onLimit(next)
          close()
        }}
      />
    ),
  })

function LimitForm({
  limit,
  onSave,
}: {
  limit: number | undefined
  onSave: (limit: number | undefined) => void
}) {
  const [text, setText] = useState(limit === undefined ? '' : String(limit))
  const parsed = Number.parseInt(text, 10)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave(parsed > 0 ? parsed : undefined)
      }}
    >
      <p className="dialog-text">{viewMessages.limitText}</p>
      <label className="typed">
        {viewMessages.limitLabel}
        <input
          className="field"
          type="number"
          min={1}
          max={9_999}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <div className="acts dialog-acts">
        <Button kind="primary" type="submit">
          {projectViewMessages.save}
        </Button>
        <Button kind="plain" onClick={() => onSave(undefined)}>
          {viewMessages.noLimit}
        </Button>
      </div>
    </form>
  )
}
