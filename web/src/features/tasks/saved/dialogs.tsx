import { boot } from '../../../data/boot.ts'
import { toast } from '../../../data/toasts.ts'
import {
  changeSaved,
  createSaved,
  pinSaved,
  removeSaved,
  type SavedView,
} from '../../../data/views.ts'
import { m } from '../../../messages/views.ts'
import { openDialog } from '../../../ui/dialog.tsx'
import { Check, FormLine, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import type { Screen } from '../screen.ts'
import type { View } from '../view.ts'
import { whyAlone } from './rights.ts'
import { keptOf } from './shown.ts'

const LONGEST = 60

/** Asks for a name, and saves what is shown under it. */
export function openSave(screen: Screen, view: View, onMade: (view: SavedView) => void): void {
  const alone = whyAlone(screen)
  openDialog({
    title: m.saveTitle,
    body: (close) => (
      <Form
        label={m.saveTitle}
        onSubmit={async ({ name = '' }, data) => {
          const made = await createSaved({
            ...{ project_id: screen.project.id, name, ...keptOf(view) },
            is_shared: data.has('shared'),
          })
          close()
          onMade(made)
          if (data.has('pinned')) pinSaved([...(boot.get()?.views ?? []), made], m.saved(name))
          else toast({ text: m.saved(name), undo: () => removeSaved(made) })
        }}
      >
        <TextField label={m.name} name="name" maxLength={LONGEST} required autoFocus />
        <FormLine>
          <Check name="shared" disabled={alone !== undefined} hint={alone ?? m.shareHint}>
            {m.share}
          </Check>
          <Check name="pinned">{m.pin}</Check>
        </FormLine>
        <FormActs onCancel={close}>
          <Submit>{m.save}</Submit>
        </FormActs>
      </Form>
    ),
  })
}

/** Asks for another name. */
export function openRename(view: SavedView): void {
  openDialog({
    title: m.renameTitle(view.name),
    body: (close) => (
      <Form
        label={m.renameTitle(view.name)}
        onSubmit={async ({ name = '' }) => {
          close()
          if (name.trim() !== '' && name !== view.name) {
            changeSaved(view, { name: name.trim() }, m.renamed(name.trim()))
          }
        }}
      >
        <TextField
          label={m.name}
          name="name"
          defaultValue={view.name}
          maxLength={LONGEST}
          autoFocus
        />
        <FormActs onCancel={close}>
          <Submit>{m.save}</Submit>
        </FormActs>
      </Form>
    ),
  })
}
