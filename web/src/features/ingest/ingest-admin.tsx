import { Button } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { ImportHistory } from './components/import-history.tsx'
import { Tokens } from './components/tokens.tsx'
import classes from './ingest-admin.module.css'

/** How deals get in: by hand, by scripts with a token, and what came of each time. */
export function IngestAdmin() {
  return (
    <div className={classes.tab}>
      <div className={classes.side}>
        <Button
          component={Link}
          to="/import"
          className={classes.import}
          leftSection={<IconFileImport size={18} aria-hidden />}
        >
          Import a file of deals
        </Button>
        <Tokens />
      </div>
      <ImportHistory />
    </div>
  )
}
