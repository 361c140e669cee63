import { Button } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useId, useRef, useState } from 'react'
import { PictureError, squarePicture } from '../../../platform/picture.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import spoken from '../../../ui/unseen.module.css'
import classes from './avatar-field.module.css'

type AvatarFieldProps = { name: string; picture: string; onPicture: (picture: string) => void }

const pixels = 256

/** A picture from this device, or initials. */
export function AvatarField({ name, picture, onPicture }: AvatarFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  /** How often somebody chose: a large picture may be read after one that was chosen later. */
  const choices = useRef(0)

  async function take(file: File | undefined) {
    if (file === undefined) return
    const choice = ++choices.current
    setProblem(undefined)
    try {
      const picture = await squarePicture(file, pixels)
      if (choice === choices.current) onPicture(picture)
    } catch (error) {
      if (choice !== choices.current) return
      setProblem(error instanceof PictureError ? error.message : 'This picture could not be read.')
    }
  }

  return (
    <div className={classes.field}>
      <Avatar name={name} picture={picture} size="lg" />
      <div>
        <div className={classes.actions}>
          <Button
            variant="default"
            size="sm"
            leftSection={<IconPhoto size={16} aria-hidden />}
            onClick={() => input.current?.click()}
          >
            {picture ? 'Change picture' : 'Choose picture'}
          </Button>
          {picture && (
            <Button
              variant="subtle"
              size="sm"
              onClick={() => {
                choices.current++
                onPicture('')
              }}
            >
              Remove picture
            </Button>
          )}
        </div>
        <label htmlFor={id} className={spoken.unseen}>
          Picture
        </label>
        <input
          ref={input}
          id={id}
          className={spoken.unseen}
          type="file"
          accept="image/*"
          tabIndex={-1}
          onChange={(event) => {
            void take(event.currentTarget.files?.[0])
            // The same file may be chosen again.
            event.currentTarget.value = ''
          }}
        />
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      </div>
    </div>
  )
}
