import type { OpenFloat } from '../floats.ts'
import { FloatingDate } from './date.tsx'
import { FloatingDialog } from './dialog.tsx'
import { FloatingMenu } from './menu.tsx'
import { FloatingPick } from './pick.tsx'

/** Whatever floats, by its kind. They come together: what they are made of is nearly all of them. */
export default function OneFloat({ float, close }: OpenFloat) {
  if (float.kind === 'menu') return <FloatingMenu {...float} onClose={close} />
  if (float.kind === 'pick') return <FloatingPick {...float} onClose={close} />
  if (float.kind === 'date') return <FloatingDate {...float} onClose={close} />
  return <FloatingDialog {...float} onClose={close} />
}
