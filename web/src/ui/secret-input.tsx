import '@mantine/core/styles/PasswordInput.layer.css'
import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useState } from 'react'

/** A password field whose text can be shown; its button says what it will do. */
export function SecretInput(props: PasswordInputProps & { what: string }) {
  const { what, ...others } = props
  const [visible, setVisible] = useState(false)
  return (
    <PasswordInput
      size="md"
      maxLength={200}
      {...others}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{
        'aria-label': `${visible ? 'Hide' : 'Show'} ${what}`,
        // The label changes instead; both at once would contradict each other.
        'aria-pressed': undefined,
      }}
    />
  )
}
