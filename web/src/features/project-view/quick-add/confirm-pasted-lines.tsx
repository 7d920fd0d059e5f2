import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { Button } from '../../../ui/form/button.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { createPastedTasks } from './create-typed-task.ts'
import type { PastedTask } from './pasted-tasks.ts'
import { formatChip } from './typed-chips.tsx'

const MAX_SHOWN_LINES = 8

/** Asks whether pasted lines or rows become one task each or a single title. */
export function confirmPastedLines(
  target: Parameters<typeof createPastedTasks>[0],
  lines: readonly PastedTask[],
  insertAsTitle: () => void,
): void {
  openDialog({
    title: quickAddMessages.pastedAsk(lines.length),
    body: (close) => (
      <>
        <ol className="lines">
          {lines.slice(0, MAX_SHOWN_LINES).map(({ text, chips }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
            <li key={at} className="clip">
              {text}
              {chips.length > 0 && (
                <span className="quiet"> · {chips.map(formatChip).join(' · ')}</span>
              )}
            </li>
          ))}
        </ol>
        {lines.length > MAX_SHOWN_LINES && (
          <p className="quiet">{quickAddMessages.andMore(lines.length - MAX_SHOWN_LINES)}</p>
        )}
        <div className="acts dialog-acts">
          <Button
            kind="primary"
            autoFocus
            onClick={() => {
              createPastedTasks(target, lines)
              close()
            }}
          >
            {quickAddMessages.pastedMake(lines.length)}
          </Button>
          <Button
            onClick={() => {
              insertAsTitle()
              close()
            }}
          >
            {quickAddMessages.pastedOne}
          </Button>
        </div>
      </>
    ),
  })
}
