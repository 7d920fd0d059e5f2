import type { PastedLine } from '../../../lib/text/pasted-lines.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { Button } from '../../../ui/form/button.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { createPastedTasks } from './create-typed-task.ts'

const MAX_SHOWN_LINES = 8

/** Asks whether pasted lines become one task each or a single title. */
export function confirmPastedLines(
  target: Parameters<typeof createPastedTasks>[0],
  lines: readonly PastedLine[],
  insertAsTitle: () => void,
): void {
  openDialog({
    title: quickAddMessages.pastedAsk(lines.length),
    body: (close) => (
      <>
        <ol className="lines">
          {lines.slice(0, MAX_SHOWN_LINES).map(({ text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
            <li key={at} className="clip">
              {text}
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
