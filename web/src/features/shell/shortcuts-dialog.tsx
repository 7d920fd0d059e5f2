import { uiMessages } from '../../messages/app/ui.ts'
import './shortcuts-dialog.css'
import { Fragment, useEffect, useRef, useState } from 'react'
import { useAtom } from '../../lib/state/atom.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { composerMessages } from '../../messages/tasks/composer.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { alternativesOf } from '../../ui/keyboard/key-chords.ts'
import { listShortcuts } from '../../ui/keyboard/list-shortcuts.ts'
import {
  formatShortcut,
  setSingleKeysEnabled,
  singleKeysEnabled,
} from '../../ui/keyboard/use-shortcuts.ts'
import { shortcutsState } from './shortcuts-state.ts'

const { assignee, tag, priority } = projectViewMessages.properties

/** What begins a value in the line of a new task. */
const TYPED_MARKS = [
  ['@', assignee],
  ['#', tag],
  ['!', priority],
] as const

const close = () => shortcutsState.set(false)

/** Every shortcut of the place that had the focus, and the switch for single-key shortcuts. */
export function ShortcutsDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  const isSingleKeysOn = useAtom(singleKeysEnabled)
  // Those of the place where the focus was: the dialog takes it now.
  const [tables] = useState(listShortcuts)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="float keys-sheet"
      aria-labelledby="keys-title"
      data-overlay
      onClose={close}
    >
      <header>
        <h2 id="keys-title">{shellMessages.shortcuts}</h2>
        <button type="button" className="btn" onClick={() => dialog.current?.close()}>
          {uiMessages.close}
        </button>
      </header>
      <div className="keys-tables">
        {tables.map(({ name, shortcuts: group }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {group
                .filter(({ keys }) => keys !== '')
                .map(({ keys, label }) => (
                  <div key={keys}>
                    <dt>
                      {alternativesOf(keys).map((one, at) => (
                        <Fragment key={one}>
                          {at > 0 && ` ${shellMessages.orKeys} `}
                          <kbd>{formatShortcut(one)}</kbd>
                        </Fragment>
                      ))}
                    </dt>
                    <dd>{label}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>{shellMessages.newTask}</h3>
          <dl>
            {TYPED_MARKS.map(([mark, label]) => (
              <div key={mark}>
                <dt>
                  <kbd>{mark}</kbd>
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
          <p className="hint">{composerMessages.titleHint}</p>
        </section>
      </div>
      <label className="keys-switch">
        <input
          type="checkbox"
          checked={isSingleKeysOn}
          onChange={(event) => setSingleKeysEnabled(event.target.checked)}
        />
        {shellMessages.singleKeys}
      </label>
    </dialog>
  )
}
