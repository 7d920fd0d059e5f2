import { useEffect, useRef } from 'react'
import { useSignal } from '../../lib/signal.ts'
import { m } from '../../messages/shell.ts'
import { setSingleKeys, shortcutsNow, singleKeys } from '../../ui/keys.ts'
import { Keys } from '../../ui/keys-shown.tsx'
import { shortcuts } from './shortcuts-open.ts'

const close = () => shortcuts.set(false)

/** The keys of the screen at hand, and the switch for single letters. */
export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null)
  const single = useSignal(singleKeys)
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
        <h2 id="keys-title">{m.shortcuts}</h2>
        <button type="button" className="btn" onClick={() => dialog.current?.close()}>
          {m.close}
        </button>
      </header>
      <div className="keys-tables">
        {shortcutsNow().map(({ name, shortcuts: found }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {found.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>
                    <Keys of={keys} />
                    <span className="sr">{keys}</span>
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="keys-switch">
        <input
          type="checkbox"
          checked={single}
          onChange={(event) => setSingleKeys(event.target.checked)}
        />
        {m.singleKeys}
      </label>
    </dialog>
  )
}
