import classes from './brand.module.css'

/** The product's sign and name. The sign is decoration, the name is text. */
export function Brand({ size = 'md' }: { size?: 'md' | 'lg' }) {
  return (
    <span className={classes.brand} data-size={size}>
      <svg viewBox="0 0 32 32" className={classes.sign} aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="9" className={classes.tile} />
        <path
          d="M9.5 9.5h6.7a6.5 6.5 0 0 1 0 13H9.5z"
          fill="none"
          stroke="#fff"
          strokeWidth="3"
          strokeLinejoin="round"
        />
        <circle cx="24.2" cy="22.4" r="2.2" fill="#8ff0cb" />
      </svg>
      Dealdeck
    </span>
  )
}
