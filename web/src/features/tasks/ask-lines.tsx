import { m } from '../../messages/tasks.ts'
import { Button } from '../../ui/button.tsx'
import { openDialog } from '../../ui/dialog.tsx'
import { createAll } from './create.ts'

const SHOWN = 8

/** Asks whether pasted lines are tasks, or one title. */
export function askLines(
  where: Parameters<typeof createAll>[0],
  lines: readonly string[],
  asOne: () => void,
): void {
  openDialog({
    title: m.pastedAsk(lines.length),
    body: (close) => (
      <>
        <ol className="lines">
          {lines.slice(0, SHOWN).map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
            <li key={at} className="clip">
              {line}
            </li>
          ))}
        </ol>
        {lines.length > SHOWN && <p className="quiet">{m.andMore(lines.length - SHOWN)}</p>}
        <div className="acts dialog-acts">
          <Button
            kind="primary"
            autoFocus
            onClick={() => {
              createAll(where, lines, m.pastedMake(lines.length))
              close()
            }}
          >
            {m.pastedMake(lines.length)}
          </Button>
          <Button
            onClick={() => {
              asOne()
              close()
            }}
          >
            {m.pastedOne}
          </Button>
        </div>
      </>
    ),
  })
}
