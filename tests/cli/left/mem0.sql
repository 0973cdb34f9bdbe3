BEGIN TRANSACTION;
CREATE TABLE history (
                        id           TEXT PRIMARY KEY,
                        memory_id    TEXT,
                        old_memory   TEXT,
                        new_memory   TEXT,
                        event        TEXT,
                        created_at   DATETIME,
                        updated_at   DATETIME,
                        is_deleted   INTEGER,
                        actor_id     TEXT,
                        role         TEXT
                    );
INSERT INTO "history" VALUES('c2d13538-59c6-4913-b007-1f971bc7b649','11111111-2222-4333-8444-555555555555',NULL,'Likes soup','ADD','2026-01-31T10:45:00.123456-08:00',NULL,0,'ann','user');
INSERT INTO "history" VALUES('5d42584b-2e1e-41de-8e72-4fbf89b039f6','11111111-2222-4333-8444-555555555555','Likes soup','Likes soup and größe','UPDATE','2026-01-31T10:45:00.123456-08:00','2026-02-01T10:45:00.123456-08:00',0,NULL,'user');
INSERT INTO "history" VALUES('a8418ddd-7d03-48bf-8008-c56b4a1c0fe1','22222222-2222-4333-8444-555555555555',NULL,'Has a cat','ADD','2026-01-31T10:46:00-08:00',NULL,0,NULL,NULL);
INSERT INTO "history" VALUES('b208c51b-7440-498e-8218-db5f0c1af337','22222222-2222-4333-8444-555555555555','Has a cat',NULL,'DELETE','2026-01-31T10:46:00-08:00','2026-02-02T10:46:00-08:00',1,NULL,NULL);
INSERT INTO "history" VALUES('0f13223c-bf4d-4b13-b70d-3d8fbdf9963c','33333333-2222-4333-8444-555555555555','Was a clerk','Is a baker','UPDATE','2026-01-31T10:46:00-08:00','2026-02-02T10:46:00-08:00',0,NULL,NULL);
CREATE TABLE messages (
                        id TEXT PRIMARY KEY,
                        session_scope TEXT,
                        role TEXT,
                        content TEXT,
                        name TEXT,
                        created_at DATETIME
                    );
INSERT INTO "messages" VALUES('6ec07e13-d934-4302-8e77-6395d23ea223','user_id=ann','user','I like soup',NULL,'2026-11-18T14:53:57.826799+00:00');
INSERT INTO "messages" VALUES('81a6239d-3eab-45be-ac16-374cb457ca91','user_id=ann','assistant','noted','bot','2026-11-18T14:53:57.826799+00:00');
COMMIT;
